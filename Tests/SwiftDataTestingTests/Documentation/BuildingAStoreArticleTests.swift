import Foundation
import SwiftData
import SwiftDataTesting
import Synchronization
import Testing

struct NotebookRows {
  private(set) var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var nextKey = 1
}

struct UnknownEntity: Error {
  let name: String
}

extension NotebookRows {
  mutating func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, in store: String, of schema: Schema
  ) throws -> [PersistentIdentifier: PersistentIdentifier] {
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let temporary = snapshot.persistentIdentifier
      guard schema.entitiesByName[temporary.entityName] != nil else {
        throw UnknownEntity(name: temporary.entityName)
      }
      permanent[temporary] = try PersistentIdentifier.identifier(
        for: store, entityName: temporary.entityName, primaryKey: "\(nextKey)")
      nextKey += 1
    }
    for snapshot in request.inserted {
      guard let identifier = permanent[snapshot.persistentIdentifier] else { continue }
      snapshots[identifier] = snapshot.copy(
        persistentIdentifier: identifier, remappedIdentifiers: permanent)
    }
    for snapshot in request.updated where snapshots[snapshot.persistentIdentifier] != nil {
      let identifier = snapshot.persistentIdentifier
      snapshots[identifier] = snapshot.copy(
        persistentIdentifier: identifier, remappedIdentifiers: permanent)
    }
    for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
    return permanent
  }
}

extension NotebookRows {
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, of schema: Schema
  ) -> [DefaultSnapshot] {
    let wanted = entities(below: Schema.entityName(for: T.self), of: schema)
    let found = snapshots.values
      .filter { wanted.contains($0.persistentIdentifier.entityName) }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    let limit = descriptor.fetchLimit ?? 0
    return Array(
      found.dropFirst(max(0, descriptor.fetchOffset ?? 0)).prefix(limit > 0 ? limit : .max))
  }

  private func entities(below name: String, of schema: Schema) -> Set<String> {
    guard let entity = schema.entitiesByName[name] else { return [] }
    return entity.subentities.reduce([name]) { $0.union(entities(below: $1.name, of: schema)) }
  }
}

extension NotebookRows: Encodable {
  enum CodingKeys: CodingKey {
    case rows, nextKey
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Array(snapshots.values), forKey: .rows)
    try container.encode(nextKey, forKey: .nextKey)
  }

  func write(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try encoder.encode(self).write(to: url, options: .atomic)
  }
}

extension NotebookRows: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let rows = try container.decode([DefaultSnapshot].self, forKey: .rows)
    snapshots = Dictionary(
      rows.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { _, last in last })
    nextKey = try container.decode(Int.self, forKey: .nextKey)
  }

  static func read(_ url: URL, of schema: Schema) throws -> NotebookRows {
    guard FileManager.default.fileExists(atPath: url.path) else { return NotebookRows() }
    let decoder = JSONDecoder()
    decoder.userInfo[.swiftDataSchema] = schema
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(NotebookRows.self, from: Data(contentsOf: url))
  }
}

struct NotebookConfiguration: DataStoreConfiguration {
  typealias Store = NotebookStore

  let name: String
  let url: URL
  var schema: Schema?
}

final class NotebookStore: DataStore {
  typealias Configuration = NotebookConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: NotebookConfiguration
  let schema: Schema
  private let rows: Mutex<NotebookRows>

  var identifier: String { configuration.name }

  init(
    _ configuration: NotebookConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    rows = Mutex(try NotebookRows.read(configuration.url, of: schema))
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let descriptor = request.descriptor
    if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = rows.withLock { $0.fetch(descriptor, of: schema) }
    return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: found)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let permanent = try rows.withLock { rows in
      var changed = rows
      let permanent = try changed.save(request, in: identifier, of: schema)
      try changed.write(to: configuration.url)
      rows = changed
      return permanent
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
  }
}

extension NotebookConfiguration: SpecifiableStore {
  init(specification setup: SpecificationSetup) {
    self.init(name: setup.name, url: setup.folder.appending(path: "rows.json"))
  }

  static var levels: Set<StoreSpecification.Level> {
    StoreSpecification.Level.standard.union([.inheritance, .persistent])
  }
}

enum BuildingAStoreArticle {
  @Model
  final class Page {
    var text: String

    init(_ text: String) { self.text = text }
  }
}

/// The samples of the article *Building a store*.
@Suite struct BuildingAStoreArticleTests {
  typealias Page = BuildingAStoreArticle.Page

  private static var article: String {
    get throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      return try String(
        contentsOf: root.appending(path: "Sources/SwiftData/Documentation.docc/BuildingAStore.md"),
        encoding: .utf8)
    }
  }

  /// The file of a server; compiled only.
  private func containerOfAServer() throws -> ModelContainer {
    let file = URL(filePath: "/var/lib/notebook/pages.json")
    let configuration = NotebookConfiguration(name: "pages", url: file)
    let container = try ModelContainer(for: Schema([Page.self]), configurations: [configuration])
    return container
  }

  /// The sample of `StoreSpecification.run(levels:)`; compiled only.
  private func specificationOfFiles() async throws {
    let levels = StoreSpecification.Level.standard.union([.persistent, .shared])
    try await StoreSpecification.run(levels: levels) { setup in
      ModelConfiguration(setup.name, url: setup.folder.appending(path: "rows.store"))
    }
  }

  @Test func theStoreKeepsTheRulesAsTheArticlePrintsThem() async throws {
    let report = try await StoreSpecification.run(NotebookConfiguration.self)
    print(report)

    #expect(try Self.article.contains("```\n\(report)\n```"))
  }

  /// The store without the spelling of infinity.
  struct PlainConfiguration: DataStoreConfiguration {
    typealias Store = PlainStore

    let name: String
    let url: URL
    var schema: Schema?
  }

  final class PlainStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    let configuration: PlainConfiguration
    let store: NotebookStore

    var identifier: String { store.identifier }
    var schema: Schema { store.schema }

    init(_ configuration: PlainConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
    {
      self.configuration = configuration
      store = try NotebookStore(
        NotebookConfiguration(
          name: configuration.name, url: configuration.url, schema: configuration.schema),
        migrationPlan: nil)
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try store.fetch(request) }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      _ = try JSONEncoder().encode(request.inserted + request.updated)
      return try store.save(request)
    }
  }

  @Test func theErrorIsTheOneInTheArticle() async throws {
    let failure = await #expect(throws: SpecificationFailure.self) {
      try await StoreSpecification.run(only: ["attributes"]) { setup in
        PlainConfiguration(name: setup.name, url: setup.folder.appending(path: "rows.json"))
      }
    }
    let broken = try #require(failure?.report.brokenRules.first)
    #expect(failure?.brokenRules == ["attributes/floating point"])
    let text =
      "\(broken.name): \(broken.demand)\n  - \(broken.problems.joined(separator: "\n  - "))"
    #expect(failure?.description.contains(text) == true)
    #expect(try Self.article.contains("```\n\(text)\n```"), "\(text)")
  }
}
