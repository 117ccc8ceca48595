import SwiftData
import SwiftDataStores
import Testing

/// A store that returns only the properties that a query asks for.
private final class NarrowStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = NarrowStore

    let name = "narrow"
    var schema: Schema?
    let contents = DictionaryStoreContents()
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  private let rows: DictionaryStore

  var identifier: String { rows.identifier }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    rows = try DictionaryStore(
      DictionaryStoreConfiguration(schema: schema, contents: configuration.contents),
      migrationPlan: nil)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let names = try request.query().properties
    let found = try rows.fetch(request).fetchedSnapshots.map { snapshot in
      let values = try snapshot.values().filter { names.isEmpty || names.contains($0.key) }
      return try DefaultSnapshot(
        persistentIdentifier: snapshot.persistentIdentifier, values: values, schema: schema)
    }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try rows.save(request) }
}

@Suite("Snapshots of custom stores are complete")
struct CompleteSnapshotTests {
  @Test func aStoreIsAskedForAllProperties() throws {
    let container = try ModelContainer(
      for: library, configurations: [NarrowStore.Configuration()])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let author = Author("Tove")
    let book = Book("Comet", by: author)
    book.pages = 7
    context.insert(book)
    try context.save()
    let reader = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title]
    let found = try #require(try reader.fetch(descriptor).first)
    #expect(found.title == "Comet" && found.pages == 7)
    #expect(found.author?.name == "Tove")
  }
}
