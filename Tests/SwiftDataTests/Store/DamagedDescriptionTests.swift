import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import SwiftDataTools
import Testing

/// A file whose rows are whole, but not what describes them: its model, the hashes of that, its identifier, or the
/// numbers of the entities.
@Suite struct DamagedDescriptionTests {
  enum Old {
    @Model final class Band {
      var name: String
      @Attribute(.externalStorage) var logo: Data?
      @Relationship(inverse: \Song.band) var songs: [Song] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Song {
      var title: String
      var band: Band?

      init(_ title: String) { self.title = title }
    }
  }

  enum New {
    @Model final class Band {
      var name: String
      var founded: Int = 1970
      @Attribute(.externalStorage) var logo: Data?
      @Relationship(inverse: \Song.band) var songs: [Song] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Song {
      var title: String
      var band: Band?

      init(_ title: String) { self.title = title }
    }
  }

  private static let old = [Old.Band.self, Old.Song.self] as [any PersistentModel.Type]
  private static let new = [New.Band.self, New.Song.self] as [any PersistentModel.Type]
  private static let cutModel = "UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, 200)"
  private static let cutMetadata = "UPDATE Z_METADATA SET Z_PLIST = substr(Z_PLIST, 1, 200)"

  private let folder: TemporaryFolder
  private let metadata: Data
  private let model: Data
  private let entities: [String]
  private var recovered: URL { folder.url.appending(path: "recovered.store") }

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(try Self.open(Self.old, folder.store))
    let band = Old.Band("Blur")
    context.insert(band)
    band.logo = Data(repeating: 7, count: 200_000)
    band.songs = [Old.Song("Tender"), Old.Song("Beetlebum")]
    try context.save()
    metadata = try SQLiteFile.data(Self.metadata, in: folder.store)
    model = try SQLiteFile.data(Self.model, in: folder.store)
    entities = try SQLiteFile.texts(Self.entities, in: folder.store)
  }

  private static let metadata = "SELECT Z_PLIST FROM Z_METADATA"
  private static let model = "SELECT Z_CONTENT FROM Z_MODELCACHE"
  private static let entities =
    "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER || ' ' || Z_MAX FROM Z_PRIMARYKEY ORDER BY 1"

  @discardableResult
  private static func open(
    _ types: [any PersistentModel.Type], _ url: URL, allowsSave: Bool = true
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
  }

  private func damage(_ sql: String) throws { try SQLiteFile.execute(sql, in: folder.store) }

  private func expectDescribed(
    _ url: URL, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (found, made) = try (
      StoreMetadata(SQLiteFile.data(Self.metadata, in: url)), StoreMetadata(metadata)
    )
    #expect(found == made, sourceLocation: sourceLocation)
    #expect(
      try ModelCache.decode(SQLiteFile.data(Self.model, in: url)) == ModelCache.decode(model),
      sourceLocation: sourceLocation)
    #expect(
      try SQLiteFile.texts(Self.entities, in: url) == entities, sourceLocation: sourceLocation)
    #expect(try StoreCheckup(of: url).problems == [], sourceLocation: sourceLocation)
  }

  private func expectRows(
    _ url: URL, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let context = ModelContext(try Self.open(Self.new, url))
    let bands = try context.fetch(FetchDescriptor<New.Band>())
    #expect(bands.map(\.founded) == [1970], sourceLocation: sourceLocation)
    #expect(
      bands.first?.logo == Data(repeating: 7, count: 200_000), sourceLocation: sourceLocation)
    #expect(
      bands.first?.songs.map(\.title).sorted() == ["Beetlebum", "Tender"],
      sourceLocation: sourceLocation)
  }

  // MARK: Opening

  @Test(arguments: [cutModel, "DELETE FROM Z_MODELCACHE"])
  func openingWithItsModelsDescribesTheFileAnew(_ sql: String) throws {
    try damage(sql)
    try Self.open(Self.old, folder.store)
    try expectDescribed(folder.store)
    try expectRows(folder.store)
  }

  /// Only the metadata tell how large values are stored.
  @Test(arguments: [cutMetadata, "UPDATE Z_METADATA SET Z_PLIST = NULL"])
  func openingWritesNoMetadataAnew(_ sql: String) throws {
    try damage(sql)
    let before = try SQLiteFile.data(Self.metadata, in: folder.store)
    try Self.open(Self.old, folder.store)
    #expect(try SQLiteFile.data(Self.metadata, in: folder.store) == before)
    try expectRows(folder.store)
  }

  @Test func openingForReadingChangesNothing() throws {
    try damage(Self.cutModel)
    let before = try SQLiteFile.data(Self.model, in: folder.store)
    try Self.open(Self.old, folder.store, allowsSave: false)
    #expect(try SQLiteFile.data(Self.model, in: folder.store) == before)
  }

  @Test func theErrorSaysThatTheDescriptionIsDamaged() throws {
    try damage(Self.cutModel)
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try Self.open(Self.new, folder.store)
    }
    #expect(error?.description.contains("(Z_MODELCACHE) is missing or damaged") == true)
    try Self.open(Self.old, folder.store)
    try expectRows(folder.store)
  }

  // MARK: Recovery

  private func recover(_ types: [any PersistentModel.Type]?) throws -> StoreRecovery {
    try ModelContainer.recoverStore(
      at: folder.store, to: recovered, for: types.map { Schema($0) })
  }

  @Test(
    arguments: [
      (cutModel, .modelDescription), ("DELETE FROM Z_MODELCACHE", .modelDescription),
      (cutMetadata, .modelDescription), ("UPDATE Z_METADATA SET Z_PLIST = NULL", .modelDescription),
      ("UPDATE Z_METADATA SET Z_UUID = NULL", .metadata),
      ("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 2", .entities),
      ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Band'", .entities),
      ("UPDATE Z_PRIMARYKEY SET Z_NAME = NULL WHERE Z_ENT = 1", .entities),
      ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 2", .entities),
    ] as [(String, StoreRecovery.Part)])
  func recoveryNamesAndReplacesWhatIsDamaged(_ sql: String, _ part: StoreRecovery.Part) throws {
    try damage(sql)
    let recovery = try recover(Self.old)
    #expect(recovery.unreadableParts == [part] && !recovery.isComplete)
    try expectDescribed(recovered)
    try expectRows(recovered)
  }

  /// Only opening the new store tells the models.
  @Test(arguments: [
    cutModel, "UPDATE Z_METADATA SET Z_UUID = NULL",
    "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 2", "\(cutModel); \(cutMetadata)",
  ])
  func recoveryWithoutModelsLeavesOutWhatIsDamaged(_ sql: String) throws {
    try damage(sql)
    #expect(try recover(nil).unreadableParts.count == 1)
    try Self.open(Self.old, recovered)
    try expectDescribed(recovered)
    try expectRows(recovered)
  }

  @Test func recoveryWithoutModelsLeavesOutMetadata() throws {
    try damage(Self.cutMetadata)
    #expect(try recover(nil).unreadableParts == [.modelDescription])
    try expectRows(recovered)
  }

  /// The tables are not those of the models that are given.
  @Test func recoveryDoesNotDescribeOtherModels() throws {
    try damage(Self.cutMetadata)
    #expect(try recover(Self.new).unreadableParts == [.modelDescription])
    try expectRows(recovered)
  }

  @Test func changesWithoutTheirTransactionAreLost() throws {
    try damage("DELETE FROM ATRANSACTION")
    let recovery = try recover(nil)
    #expect(recovery.unreadableParts == [.history])
    #expect(recovery.tables.first { $0.name == "ACHANGE" }?.copiedRows == 0)
    #expect(try StoreCheckup(of: recovered).problems == [])
  }
}
