import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// A file that the first release of this package made: it tells nothing of its models.
@Suite struct FirstReleaseTests {
  private let store: MigratedStore

  init() throws {
    store = try MigratedStore()
    let file = Bundle.module.bundleURL.appending(path: "Stores/first-release.sqlite")
    try Data(contentsOf: file).write(to: store.url)
  }

  private func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: store.url)))
  }

  @Test func itsModelsOpenItAndDescribeIt() throws {
    try #require(try metadata().versionHashes.isEmpty)
    for _ in 0..<2 { try expectFirst(try open(FirstRelease.self)) }
    let schema = Schema(versionedSchema: FirstRelease.self)
    let model = ModelDescription(schema, descriptors: schema.descriptors)
    #expect(try metadata().versionHashes == VersionHashes(model).byEntity)
    #expect(
      try ModelCache.decode(SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: store.url))
        == model)
    let context = try open(FirstRelease.self)
    let shelf = try #require(try context.fetch(FetchDescriptor<FirstRelease.Shelf>()).first)
    shelf.books.append(FirstRelease.AudioBook("New", minutes: 3))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<FirstRelease.Book>()) == 4)
    // The key of a row that was deleted is not given again.
    context.insert(FirstRelease.Shelf(name: "fresh"))
    try context.save()
    #expect(
      try SQLiteFile.integer("SELECT Z_PK FROM ZSHELF WHERE ZNAME = 'fresh'", in: store.url) == 4)
  }

  @Test func itMigratesByAPlan() throws {
    for _ in 0..<2 {
      let context = try open(SecondRelease.self, plan: SecondRelease.Plan.self)
      try expectSecond(
        context,
        tags: [
          ["on north", "on south"], ["on south", "tag 0"],
          ["on north", "tag 0", "tag 1"],
        ])
      let authors = try context.fetch(
        FetchDescriptor<SecondRelease.Author>(sortBy: [SortDescriptor(\.name)]))
      #expect(authors.map(\.note) == ["", "Oslo, Rome"])
    }
    try store.expectLikeNew(
      SecondRelease.models, version: SecondRelease.versionIdentifier)
  }

  /// Its rows could be those of many models, so nothing is guessed.
  @Test func withoutAPlanItIsLeftAsItIs() throws {
    let before = try Data(contentsOf: store.url)
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try open(SecondRelease.self)
    }
    #expect(error?.description.contains("migration plan") == true)
    #expect(try Data(contentsOf: store.url) == before)
    // Once its own models have described it, it changes by itself.
    _ = try open(FirstRelease.self)
    try expectSecond(
      try open(SecondRelease.self), tags: [[], ["tag 0"], ["tag 0", "tag 1"]])
  }

  @Test func aPreviewNamesItsVersion() throws {
    let before = try Data(contentsOf: store.url)
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema(versionedSchema: SecondRelease.self), migrationPlan: SecondRelease.Plan.self,
        configurations: [ModelConfiguration(url: store.url)]
      ).first)
    #expect(preview.isNeeded && preview.rowCounts["Book"] == 2, "\(preview)")
    #expect(preview.stages.map(\.toVersion) == ["2.0.0"])
    #expect(try Data(contentsOf: store.url) == before)
  }

  /// Another container migrates the file by a plan, after it was read and before it is locked for its
  /// completion.
  @Test func anIncompleteFileMigratedBeforeItsCompletionIsRefused() throws {
    let url = store.url
    let interruption = Interruption(containing: "FROM Z_PRIMARYKEY") {
      _ = try ModelContainer(
        for: Schema(versionedSchema: SecondRelease.self),
        migrationPlan: SecondRelease.Plan.self, configurations: ModelConfiguration(url: url))
    }
    var configuration = ModelConfiguration(url: url)
    configuration.statementLog = interruption.log
    #expect(throws: SwiftDataError.backwardMigration) {
      try interruption.during {
        try ModelContainer(
          for: Schema(versionedSchema: FirstRelease.self), configurations: configuration)
      }
    }
    #expect(interruption.hasRun)
    // The description is that of the migrated models.
    let schema = Schema(versionedSchema: SecondRelease.self)
    let model = ModelDescription(schema, descriptors: schema.descriptors)
    #expect(try metadata().versionHashes == VersionHashes(model).byEntity)
    let context = try open(SecondRelease.self)
    #expect(try context.fetchCount(FetchDescriptor<SecondRelease.Book>()) == 3)
    try store.expectLikeNew(SecondRelease.models, version: SecondRelease.versionIdentifier)
  }

  private func metadata() throws -> StoreMetadata {
    try #require(
      StoreMetadata(try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: store.url)))
  }

  private func expectFirst(_ context: ModelContext) throws {
    let books = try context.fetch(
      FetchDescriptor<FirstRelease.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.title) == ["Rome", "Oslo", "Heard"])
    #expect(books.map(\.pages) == [100, 101, 102])
    #expect(books.map(\.price) == [nil, 0.25, 0.5])
    #expect(books.map(\.genre) == [.novel, .essay, .novel])
    #expect(books.map(\.state) == [.free, .lent(to: "Zoë"), .free])
    #expect(books.map(\.size.width) == [0, 1, 2] && books.map(\.size.unit) == [nil, nil, "cm"])
    #expect(books.map(\.tags) == [[], ["tag 0"], ["tag 0", "tag 1"]])
    #expect(books.map(\.isRead) == [false, true, false])
    #expect(books.map(\.cover) == [Data([0, 0, 255]), Data([1, 0, 255]), nil])
    #expect(books.map { $0.mark.uuidString.last } == ["0", "1", "2"])
    #expect(books.map(\.author?.name) == ["Zoë", "Zoë", nil])
    #expect(
      books.map { $0.shelves.map(\.name).sorted() } == [["north", "south"], ["south"], ["north"]])
    let heard = try #require(books.last as? FirstRelease.AudioBook)
    #expect(heard.minutes == 90 && heard.narrator?.name == "Ann")
    let authors = try context.fetch(
      FetchDescriptor<FirstRelease.Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(authors.map(\.born?.timeIntervalSinceReferenceDate) == [nil, -5.5])
    #expect(authors.map { $0.books.count } == [0, 2])
  }

  private func expectSecond(_ context: ModelContext, tags: [[String]]) throws {
    let books = try context.fetch(
      FetchDescriptor<SecondRelease.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.heading) == ["Rome", "Oslo", "Heard"])
    #expect(books.map(\.pages) == [100, 101, 102])
    #expect(books.map(\.copies) == [2, 2, 2])
    #expect(books.map(\.genre) == [.novel, .essay, .novel])
    #expect(books.map(\.state) == [.free, .lent(to: "Zoë"), .free])
    #expect(books.map(\.size.unit) == [nil, nil, "cm"])
    #expect(books.map { $0.tags.sorted() } == tags)
    #expect(books.map(\.cover) == [Data([0, 0, 255]), Data([1, 0, 255]), nil])
    #expect(books.map { $0.mark.uuidString.last } == ["0", "1", "2"])
    #expect(books.map(\.author?.name) == ["Zoë", "Zoë", nil])
    let heard = try #require(books.last as? SecondRelease.AudioBook)
    #expect(heard.minutes == 90 && heard.narrator?.name == "Ann")
  }
}
