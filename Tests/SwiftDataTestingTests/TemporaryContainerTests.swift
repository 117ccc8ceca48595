import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite struct TemporaryContainerTests {
  @Test func aFileIsRemovedWithItsFolder() throws {
    var file: URL?
    do {
      let temporary = try TemporaryContainer(
        for: Trip.self, Stop.self, storage: .file, seed: Journeys.three)
      file = temporary.url
      #expect(FileManager.default.fileExists(atPath: try #require(file).path))
    }
    let folder = try #require(file).deletingLastPathComponent().deletingLastPathComponent()
    #expect(folder.lastPathComponent.hasPrefix("SwiftDataTesting-"))
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func aFileIsRemovedAfterATestThatThrows() throws {
    struct Stopped: Error {}
    var file: URL?
    func test() throws {
      let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
      file = temporary.url
      throw Stopped()
    }
    #expect(throws: Stopped.self) { try test() }
    #expect(!FileManager.default.fileExists(atPath: try #require(file).path))
  }

  @Test func aFileStaysWhileAContextUsesIt() throws {
    var file: URL?
    do {
      let context: ModelContext
      do {
        let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
        file = temporary.url
        context = temporary.makeContext()
      }
      context.insert(Trip(name: "Lisbon"))
      try context.save()
      #expect(FileManager.default.fileExists(atPath: try #require(file).path))
    }
    #expect(!FileManager.default.fileExists(atPath: try #require(file).path))
  }

  @Test func aFileStaysOnRequest() throws {
    var file: URL?
    do {
      let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
      temporary.keepsFiles = true
      file = temporary.url
    }
    let url = try #require(file)
    #expect(FileManager.default.fileExists(atPath: url.path))
    try FileManager.default.removeItem(
      at: url.deletingLastPathComponent().deletingLastPathComponent())
  }

  @Test func reopeningShowsWhatWasSaved() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let first = temporary.container
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))
    try context.save()
    context.insert(Trip(name: "Porto"))

    let reopened = try temporary.reopen()

    #expect(reopened != first)
    #expect(temporary.container == reopened)
    #expect(try temporary.makeContext().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Lisbon"])
    try expectStatements(1, in: temporary) {
      try temporary.makeContext().fetchCount(FetchDescriptor<Trip>())
    }
  }

  @Test func anotherContainerSharesTheFile() throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: .file, seed: Journeys.three)
    let other = ModelContext(try temporary.openAnotherContainer())

    let trips = try other.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    trips.first?.name = "Beja"
    try other.save()

    let names = try temporary.makeContext().fetch(FetchDescriptor<Trip>()).map(\.name)
    #expect(names.sorted() == ["Beja", "Faro", "Lisbon", "Porto"])
  }

  @Test func aStoreInMemoryCanNotBeReopenedOrShared() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    #expect(temporary.url == nil)
    let error = #expect(throws: TemporaryContainerError.self) { try temporary.reopen() }
    #expect(
      error?.description
        == "TemporaryContainer: a store in memory can't be reopened, because it belongs to its "
        + "container. Create the temporary container with storage: .file.")
    #expect(throws: TemporaryContainerError.self) { try temporary.openAnotherContainer() }
  }

  @Test func anotherVersionMigratesTheFile() throws {
    let temporary = try TemporaryContainer(
      versionedSchema: Version1.self, storage: .file,
      seed: """
        {"Expense": [{"title": "Ferry"}]}
        """)

    try temporary.reopen(for: Schema(versionedSchema: Version2.self), migrationPlan: Plan.self)

    let expenses = try temporary.makeContext().fetch(FetchDescriptor<Version2.Expense>())
    #expect(expenses.map(\.name) == ["Ferry"])
    #expect(expenses.map(\.cost) == [0])
  }

  @Test func aReleasedFileIsCopiedAndMigrated() throws {
    let released = try TemporaryContainer(
      versionedSchema: Version1.self, storage: .file,
      seed: """
        {"Expense": [{"title": "Ferry"}, {"title": "Tram"}]}
        """)
    let file = try #require(released.url)

    let temporary = try TemporaryContainer(
      copying: file, for: Schema(versionedSchema: Version2.self), migrationPlan: Plan.self)

    #expect(temporary.url?.lastPathComponent == file.lastPathComponent)
    #expect(temporary.url != file)
    let migrated = try temporary.makeContext().fetch(FetchDescriptor<Version2.Expense>())
    #expect(migrated.map(\.name).sorted() == ["Ferry", "Tram"])
    // The released file is as it was.
    try released.reopen()
    let old = try released.makeContext().fetch(FetchDescriptor<Version1.Expense>())
    #expect(old.map(\.title).sorted() == ["Ferry", "Tram"])
  }

  @Test func valuesBesideTheStoreAreCopied() throws {
    let photo = Data(repeating: 7, count: 500_000)
    let temporary = try TemporaryContainer(for: Picture.self, storage: .file)
    let context = temporary.makeContext()
    context.insert(Picture(photo: photo))
    try context.save()

    let copy = try TemporaryContainer(
      copying: try #require(temporary.url), for: Schema([Picture.self]))

    #expect(try copy.makeContext().fetch(FetchDescriptor<Picture>()).map(\.photo) == [photo])
  }

  @Test func aStoreIsCopiedThroughASymbolicLink() throws {
    let photo = Data(repeating: 7, count: 500_000)
    let temporary = try TemporaryContainer(for: Picture.self, storage: .file)
    let context = temporary.makeContext()
    context.insert(Picture(photo: photo))
    try context.save()
    let file = try #require(temporary.url)
    let link = file.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("released")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)

    let copy = try TemporaryContainer(copying: link, for: Schema([Picture.self]))

    #expect(try copy.makeContext().fetch(FetchDescriptor<Picture>()).map(\.photo) == [photo])
    #expect(copy.url?.lastPathComponent == "released")
    // The copied container is in use, so that its log is not yet in the file.
    #expect(FileManager.default.fileExists(atPath: file.path + "-wal"))
    withExtendedLifetime(context) {}
  }

  @Test func aStoreWithoutFileExtensionIsCopiedWithItsValues() throws {
    let photo = Data(repeating: 7, count: 500_000)
    let temporary = try TemporaryContainer(for: Picture.self, storage: .file)
    let file = try #require(temporary.url).deletingLastPathComponent()
      .appendingPathComponent("library")
    let container = try ModelContainer(
      for: Picture.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    context.insert(Picture(photo: photo))
    try context.save()

    let copy = try TemporaryContainer(copying: file, for: Schema([Picture.self]))

    #expect(try copy.makeContext().fetch(FetchDescriptor<Picture>()).map(\.photo) == [photo])
    withExtendedLifetime((temporary, context)) {}
  }

  @Test func optionsOfTheConfigurationCanBeSet() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self) { $0.keepsHistory = false }
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))
    try context.save()
    #expect(try temporary.history().flatMap(\.changes).isEmpty)
  }
}

@Model
private final class Picture {
  @Attribute(.externalStorage) var photo: Data

  init(photo: Data) { self.photo = photo }
}

private enum Version1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Expense.self] }

  @Model final class Expense {
    var title: String

    init(title: String) { self.title = title }
  }
}

private enum Version2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Expense.self] }

  @Model final class Expense {
    @Attribute(originalName: "title") var name: String
    var cost: Double = 0

    init(name: String) { self.name = name }
  }
}

private enum Plan: SchemaMigrationPlan {
  static let schemas: [any VersionedSchema.Type] = [Version1.self, Version2.self]
  static let stages: [MigrationStage] = [
    .lightweight(fromVersion: Version1.self, toVersion: Version2.self)
  ]
}
