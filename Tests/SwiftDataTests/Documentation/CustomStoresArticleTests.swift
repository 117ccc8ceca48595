import Foundation
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

enum CustomStoresArticle {
  @Model
  final class Note {
    var text: String
    var isDone = false

    init(_ text: String) { self.text = text }
  }

  struct JSONStoreConfiguration: DataStoreConfiguration {
    typealias Store = JSONStore

    let name: String
    let url: URL
    var schema: Schema?
  }

  final class JSONStore: DataStore {
    typealias Configuration = JSONStoreConfiguration
    typealias Snapshot = DefaultSnapshot

    let configuration: JSONStoreConfiguration
    let identifier: String
    let schema: Schema
    private let rows: Mutex<[PersistentIdentifier: DefaultSnapshot]>

    init(
      _ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
      let schema = configuration.schema ?? Schema()
      var stored: [DefaultSnapshot] = []
      if FileManager.default.fileExists(atPath: configuration.url.path) {
        let decoder = JSONDecoder()
        decoder.userInfo[.swiftDataSchema] = schema
        let data = try Data(contentsOf: configuration.url)
        stored = try decoder.decode([DefaultSnapshot].self, from: data)
      }
      self.configuration = configuration
      self.schema = schema
      identifier = configuration.name
      rows = Mutex(
        Dictionary(
          stored.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { _, last in last }))
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      let descriptor = request.descriptor
      if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
      if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      let entity = Schema.entityName(for: T.self)
      let found = rows.withLock { rows in
        rows.values.filter { $0.persistentIdentifier.entityName == entity }
          .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
      }
      let slice = found.dropFirst(descriptor.fetchOffset ?? 0)
        .prefix(descriptor.fetchLimit ?? .max)
      return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: Array(slice))
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        permanent[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
          for: identifier, entityName: snapshot.persistentIdentifier.entityName,
          primaryKey: UUID().uuidString)
      }
      try rows.withLock { rows in
        var changed = rows
        for snapshot in request.inserted + request.updated {
          let known = snapshot.persistentIdentifier
          let key = permanent[known] ?? known
          changed[key] = snapshot.copy(persistentIdentifier: key, remappedIdentifiers: permanent)
        }
        for snapshot in request.deleted { changed[snapshot.persistentIdentifier] = nil }
        let data = try JSONEncoder().encode(Array(changed.values))
        try data.write(to: configuration.url, options: .atomic)
        rows = changed
      }
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }
  }
}

/// The samples of the article *Custom stores*.
@Suite(.databases) struct CustomStoresArticleTests {
  typealias Note = CustomStoresArticle.Note
  typealias JSONStoreConfiguration = CustomStoresArticle.JSONStoreConfiguration

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The file of a server; compiled only.
  private func configurationOfAServer() -> JSONStoreConfiguration {
    let file = URL(filePath: "/var/lib/notes/notes.json")
    let configuration = JSONStoreConfiguration(name: "notes", url: file)

    return configuration
  }

  private func open() throws -> ModelContext {
    let configuration = JSONStoreConfiguration(
      name: "notes", url: folder.url.appending(path: "notes.json"))
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    return ModelContext(container)
  }

  private func texts(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])).map(\.text)
  }

  @Test func aNoteIsInTheFile() throws {
    let configuration = JSONStoreConfiguration(
      name: "notes", url: folder.url.appending(path: "notes.json"))

    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    let context = ModelContext(container)
    context.insert(Note("Buy tickets"))
    try context.save()

    #expect(try texts(open()) == ["Buy tickets"])
    let text = try String(contentsOf: configuration.url, encoding: .utf8)
    #expect(text.contains("Buy tickets"))
  }

  @Test func whatTheStoreLeavesToMemoryIsDoneThere() throws {
    let context = try open()
    for text in ["c", "a", "d", "b"] { context.insert(Note(text)) }
    try context.save()
    var descriptor = FetchDescriptor<Note>(
      predicate: #Predicate { $0.text != "a" }, sortBy: [SortDescriptor(\.text)])
    descriptor.fetchLimit = 2
    #expect(try open().fetch(descriptor).map(\.text) == ["b", "c"])
    #expect(try open().fetchCount(FetchDescriptor<Note>()) == 4)
  }

  @Test func editsAndDeletionsAreKept() throws {
    let context = try open()
    let (first, second) = (Note("first"), Note("second"))
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(first.persistentModelID.storeIdentifier == "notes")
    let other = try open()
    let same = try #require(other.model(for: first.persistentModelID) as? Note)
    #expect(same.text == "first")
    same.isDone = true
    other.delete(try #require(other.model(for: second.persistentModelID) as? Note))
    try other.save()
    let stored = try open().fetch(FetchDescriptor<Note>())
    #expect(stored.map(\.text) == ["first"] && stored.map(\.isDone) == [true])
  }

  @Test func aSaveThatFailsKeepsTheChanges() throws {
    let configuration = JSONStoreConfiguration(
      name: "notes", url: folder.url.appending(path: "missing/notes.json"))
    let context = ModelContext(
      try ModelContainer(for: Schema([Note.self]), configurations: [configuration]))
    context.insert(Note("a"))
    #expect(throws: (any Error).self) { try context.save() }
    #expect(context.hasChanges && context.insertedModelsArray.count == 1)
  }

  @Test func itHasNoHistory() throws {
    let context = try open()
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }
}

// MARK: - Translating requests

extension CustomStoresArticleTests {
  func parameters(of query: DataStoreQuery) throws -> [URLQueryItem] {
    var items: [URLQueryItem] = []
    switch query.condition {
    case .call(.and, let parts)?: items = try parts.map(parameter)
    case let condition?: items = [try parameter(condition)]
    case nil: break
    }
    for element in query.order {
      guard case .property(let name, .attribute, of: .row) = element.expression else {
        throw DataStoreError.preferInMemorySort
      }
      items.append(URLQueryItem(name: "sort", value: element.isAscending ? name : "-\(name)"))
    }
    if query.offset > 0 { items.append(URLQueryItem(name: "offset", value: "\(query.offset)")) }
    if let limit = query.limit { items.append(URLQueryItem(name: "limit", value: "\(limit)")) }
    return items
  }

  func parameter(_ condition: DataStoreQuery.Expression) throws -> URLQueryItem {
    guard case .call(let function, let operands) = condition, operands.count == 2,
      case .property(let name, .attribute(.string), of: .row) = operands[0],
      case .value(.string(let text)) = operands[1]
    else { throw DataStoreError.preferInMemoryFilter }
    switch function {
    case .equal: return URLQueryItem(name: name, value: text)
    case .containsText: return URLQueryItem(name: "\(name)-contains", value: text)
    default: throw DataStoreError.preferInMemoryFilter
    }
  }

  func identifiers<T>(
    of request: DataStoreFetchRequest<T>, in rows: [PersistentIdentifier: DefaultSnapshot],
    _ schema: Schema
  ) throws -> [PersistentIdentifier] {
    let values = try rows.mapValues { try $0.values() }
    return try QueryEvaluator(schema: schema, rows: values).identifiers(of: request.query())
  }

  @Test func aRequestBecomesParameters() throws {
    var descriptor = FetchDescriptor<Note>(
      predicate: #Predicate { $0.text == "a" }, sortBy: [SortDescriptor(\.text, order: .reverse)])
    descriptor.fetchLimit = 3
    #expect(
      try parameters(of: descriptor.query())
        == [
          URLQueryItem(name: "text", value: "a"), URLQueryItem(name: "sort", value: "-text"),
          URLQueryItem(name: "limit", value: "3"),
        ])
    let both = #Predicate<Note> { $0.text.contains("a") && $0.text == "b" }
    #expect(
      try parameters(of: FetchDescriptor(predicate: both).query())
        == [
          URLQueryItem(name: "text-contains", value: "a"), URLQueryItem(name: "text", value: "b"),
        ])
    for predicate in [#Predicate<Note> { $0.isDone }, #Predicate<Note> { $0.text < "a" }] {
      #expect(throws: DataStoreError.preferInMemoryFilter) {
        try parameters(of: FetchDescriptor(predicate: predicate).query())
      }
    }
  }

  @Test func rowsAtHandAreEvaluated() throws {
    let schema = Schema([Note.self])
    var rows: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (key, text) in ["b", "a", "c"].enumerated() {
      let identifier = try PersistentIdentifier.identifier(
        for: "notes", entityName: "Note", primaryKey: "\(key)")
      let values = ["text": DataStoreValue.string(text), "isDone": .boolean(false)]

      let snapshot = try DefaultSnapshot(
        persistentIdentifier: identifier, values: values, schema: schema)

      rows[identifier] = snapshot
    }
    let request = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Note>(
        predicate: #Predicate { $0.text != "c" }, sortBy: [SortDescriptor(\.text)]),
      editingState: ModelContext(
        try ModelContainer(
          for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      ).editingState)
    let found = try identifiers(of: request, in: rows, schema)
    #expect(try found.map { try rows[$0]?.values()["text"] } == [.string("a"), .string("b")])
  }
}
