import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// Stores of the app that break the protocol: what is refused, and what the errors say.
@Suite struct FaultyStoreTests {
  typealias Note = Archive.Note

  @Model final class Card {
    @Attribute(.unique) var code: String

    init(_ code: String) { self.code = code }
  }

  /// What the store does wrong.
  final class Faults: Sendable {
    /// The key of the next new row.
    let key = Mutex<String?>(nil)
    let saveError = Mutex<(any Error)?>(nil)
    let fetchError = Mutex<(any Error)?>(nil)
  }

  struct Configuration: DataStoreConfiguration {
    typealias Store = FaultyStore

    var name = "faulty"
    var identifier = "faulty"
    var schema: Schema?
    let faults: Faults

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  final class FaultyStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    let configuration: Configuration
    let schema: Schema
    private let rows = Mutex<[PersistentIdentifier: DefaultSnapshot]>([:])

    var identifier: String { configuration.identifier }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
      schema = configuration.schema ?? Schema()
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      if let error = configuration.faults.fetchError.withLock(\.self) { throw error }
      if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
      if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      let entity = Schema.entityName(for: T.self)
      let found = rows.withLock { Array($0.values) }
        .filter { $0.persistentIdentifier.entityName == entity }
      return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      if let error = configuration.faults.saveError.withLock(\.self) { throw error }
      var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        permanent[snapshot.persistentIdentifier] = try .identifier(
          for: identifier, entityName: snapshot.persistentIdentifier.entityName,
          primaryKey: configuration.faults.key.withLock(\.self) ?? UUID().uuidString)
      }
      rows.withLock { rows in
        for snapshot in request.inserted + request.updated {
          let key = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
          rows[key] = snapshot.copy(persistentIdentifier: key, remappedIdentifiers: permanent)
        }
        for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
      }
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }
  }

  private let faults = Faults()

  private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: [Configuration(faults: faults)]))
    context.reportsUnsavedChanges = false
    return context
  }

  // MARK: Identifiers of new models

  @Test func theIdentifierOfALoadedModelIsRefused() throws {
    let context = try context(Note.self)
    faults.key.withLock { $0 = "1" }
    let old = Note("old")
    context.insert(old)
    try context.save()
    let new = Note("new")
    context.insert(new)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Note")
    #expect(
      error?.description.contains(
        "The store faulty saved a new model, but returned the identifier \(old.persistentModelID) for it, which "
          + "another model has.") == true, "\(error as Any)")
    #expect(old.text == "old" && new.persistentModelID != old.persistentModelID)
    faults.key.withLock { $0 = "2" }
    try context.save()
    #expect(new.persistentModelID != old.persistentModelID && !context.hasChanges)
  }

  @Test func theIdentifierOfAModelOfTheSameSaveIsRefused() throws {
    let context = try context(Note.self)
    faults.key.withLock { $0 = "1" }
    let notes = [Note("a"), Note("b")]
    for note in notes { context.insert(note) }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(notes.allSatisfy { $0.persistentModelID.storeIdentifier == nil })
  }

  @Test func theIdentifierOfAModelThatTheSaveDeletesIsRefused() throws {
    let context = try context(Note.self)
    faults.key.withLock { $0 = "1" }
    let old = Note("old")
    context.insert(old)
    try context.save()
    context.delete(old)
    context.insert(Note("new"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  /// The store may make one row of models with the same unique values.
  @Test func modelsWithUniqueValuesMayShareAnIdentifier() throws {
    let context = try context(Card.self)
    faults.key.withLock { $0 = "1" }
    let cards = [Card("a"), Card("a"), Card("a")]
    for card in cards { context.insert(card) }
    try context.save()
    context.insert(Card("a"))
    try context.save()
    #expect(Set(cards.map(\.persistentModelID)).count == 1)
    #expect(try context.fetch(FetchDescriptor<Card>()).count == 1)
  }

  /// What `didSave` names as inserted and as updated.
  private func saved(_ context: ModelContext) throws -> [[PersistentIdentifier]] {
    let lists = Mutex<[[PersistentIdentifier]]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      lists.withLock { lists in
        lists = ["inserted", "updated"].compactMap {
          notification.userInfo?[$0] as? [PersistentIdentifier]
        }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    return lists.withLock(\.self)
  }

  /// The identifier tells it.
  @Test func aModelThatTheStoreMergesWithALoadedOneIsUpdated() throws {
    let context = try context(Card.self)
    faults.key.withLock { $0 = "1" }
    let card = Card("a")
    context.insert(card)
    context.insert(Card("a"))
    #expect(try saved(context) == [[card.persistentModelID], []])
    context.insert(Card("a"))
    context.insert(Card("a"))
    #expect(try saved(context) == [[], [card.persistentModelID]])
    context.delete(card)
    let again = Card("a")
    context.insert(again)
    #expect(try saved(context) == [[again.persistentModelID], []])
  }

  // MARK: Errors

  @Test(arguments: [DataStoreError.preferInMemoryFilter, .preferInMemorySort])
  func aSaveCannotBeLeftToMemory(_ thrown: DataStoreError) throws {
    let context = try context(Note.self)
    context.insert(Note("a"))
    faults.saveError.withLock { $0 = thrown }
    let error = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    let name = thrown == .preferInMemoryFilter ? "preferInMemoryFilter" : "preferInMemorySort"
    let text = "The store faulty threw DataStoreError.\(name) from save."
    #expect(error?.description.contains(text) == true, "\(error as Any)")
    #expect(context.hasChanges)
  }

  @Test(arguments: [DataStoreError.preferInMemoryFilter, .preferInMemorySort])
  func aFetchOfAllModelsCannotBeLeftToMemory(_ thrown: DataStoreError) throws {
    let context = try context(Note.self)
    faults.fetchError.withLock { $0 = thrown }
    let descriptors = [
      FetchDescriptor<Note>(),
      FetchDescriptor<Note>(predicate: #Predicate { $0.text == "a" }),
    ]
    for descriptor in descriptors {
      let error = #expect(throws: SwiftDataError.storeReadFailure) { try context.fetch(descriptor) }
      #expect(
        error?.description.contains("for a request without predicate and order") == true,
        "\(error as Any)")
      #expect(error?.entity == "Note")
    }
  }

  @Test func otherErrorsOfAStoreAreThrownAsTheyAre() throws {
    struct Refusal: Error {}
    let context = try context(Note.self)
    faults.fetchError.withLock { $0 = DataStoreError.unsupportedFeature }
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.fetch(FetchDescriptor<Note>())
    }
    context.insert(Note("a"))
    faults.saveError.withLock { $0 = DataStoreError.unsupportedFeature }
    #expect(throws: DataStoreError.unsupportedFeature) { try context.save() }
    faults.saveError.withLock { $0 = Refusal() }
    #expect(throws: Refusal.self) { try context.save() }
  }

  @Test func deletedRowsWithoutNamesSayThatTheyAreMissing() throws {
    let context = try context(Note.self)
    context.insert(Note("a"))
    faults.saveError.withLock { $0 = DeletedRows([]) }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(
      error?.description.contains("It has to create the error with their identifiers.") == true,
      "\(error as Any)")
  }

  @Test func newModelsAreNoDeletedRows() throws {
    let context = try context(Note.self)
    let note = Note("a")
    context.insert(note)
    let error = DeletedRows([note.persistentModelID])
    faults.saveError.withLock { $0 = error }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error.description.contains("New models have none before the save"), "\(error)")
    faults.saveError.withLock { $0 = nil }
    try context.save()
    #expect(note.modelContext === context && !note.hasChanges && !context.hasChanges)
  }

  // MARK: Identifiers of stores

  @Test func twoStoresOfOneIdentifierAreRefused() throws {
    let configurations = [
      Configuration(name: "one", schema: Schema([Note.self]), faults: faults),
      Configuration(name: "two", schema: Schema([Card.self]), faults: faults),
    ]
    let error = #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Schema([Note.self, Card.self]), configurations: configurations)
    }
    #expect(
      error?.description.contains(
        "The stores of the configurations one and two have the same identifier, faulty. Use one "
          + "configuration with the models of both, or give each store an identifier of its own.")
        == true,
      "\(error as Any)")
    var other = configurations[1]
    other.identifier = "other"
    _ = try ModelContainer(
      for: Schema([Note.self, Card.self]), configurations: [configurations[0], other])
  }
}
