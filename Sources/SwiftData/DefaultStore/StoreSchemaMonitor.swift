import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import Synchronization

/// Detects that another process or container has migrated the file, so that a store is not used
/// with an outdated mapping. Started by `StoreFileOpening`; the connections report when tables may
/// have changed.
///
/// Additional indexes, columns, and entities of other hierarchies are allowed. The numbers and
/// version hashes of the entities in the models' hierarchies must not change, nor what hashes leave
/// out.
package final class StoreSchemaMonitor: Sendable {
  /// The tables of the store have changed since it was opened.
  struct Migrated: Error {
    /// Whether another store is at its path.
    var isReplaced = false
  }

  private struct Entity {
    let number: Int
    let superNumber: Int
    let hash: Data?
    /// If the file has no hashes: the columns of its table.
    let columns: [String: String]
    /// Attributes whose values have tags, which hashes leave out; `nil` if they are not listed.
    let externalAttributes: Set<String>?
    /// The columns of composites, which hashes leave out, too; empty if they are not listed.
    let compositeForms: [String: String]

    /// - Parameter unlisted: The columns in which the models read composites, if they are not listed here.
    func isSame(as later: Entity, _ unlisted: () -> [String: String]) -> Bool {
      guard number == later.number, superNumber == later.superNumber, hash == later.hash,
        columns == later.columns
      else { return false }
      if let known = externalAttributes, let other = later.externalAttributes, known != other {
        return false
      }
      if compositeForms.isEmpty {
        return later.compositeForms.allSatisfy { name, text in
          unlisted()[name].map { CompositeForms.isSame($0, text, comparesNil: false) } ?? true
        }
      }
      return later.compositeForms.isEmpty
        || compositeForms.allSatisfy { name, text in
          later.compositeForms[name].map {
            CompositeForms.isSame(text, $0, comparesNil: true)
          } ?? false
        }
    }
  }

  /// The state of the file that was read last.
  private enum Known {
    /// The last description that was read while the store was opened.
    case description(StoredSchema)
    /// The number of the state of the tables.
    case version(Int64)
  }

  private let roots: Set<String>
  private let entities: [String: Entity]
  private let mapping: SchemaMapping
  private let identifier: String
  /// The model in the file.
  private let modelCache: Data?
  private let known: Mutex<Known>

  /// - Parameters:
  ///   - stored: The description of the file from which the mapping was made.
  ///   - latest: A later description of the file, with which the first check compares it.
  package init(_ stored: StoredSchema, _ mapping: SchemaMapping, latest: StoredSchema) {
    let numbers = stored.entitiesByNumber
    roots = Set(
      mapping.entities.compactMap { StoreSchemaMonitor.root(of: numbers[$0.number], numbers)?.name }
    )
    entities = StoreSchemaMonitor.entities(of: stored, below: roots)
    self.mapping = mapping
    identifier = stored.identifier
    modelCache = stored.modelCache
    known = Mutex(.description(latest))
  }

  /// Checks the file once, and from then on whenever its tables have changed.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if it was migrated while it was opened, or
  ///   `SQLiteError`.
  func begin(_ pool: ConnectionPool) throws {
    do {
      try pool.watchSchema(identity: { [identifier] connection in
        guard try connection.text("SELECT Z_UUID FROM Z_METADATA") != identifier else { return }
        throw Migrated(isReplaced: true)
      }) { try self.check($0) }
    } catch is Migrated {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store at \(pool.path) was migrated by another process or container while it was being opened. "
          + "Open it again.", doing: "opening a store", because: .schemaMismatch)
    }
  }

  /// Whether the entities of the models have the same numbers and hashes in a later description.
  package func describesSameEntities(_ stored: StoredSchema) -> Bool {
    let later = StoreSchemaMonitor.entities(of: stored, below: roots)
    lazy var forms = CompositeForms(mapping.layout.model).of(Set(mapping.entities.map(\.name)))
    return later.count == entities.count
      && entities.allSatisfy { name, entity in
        later[name].map { entity.isSame(as: $0) { forms.texts } } ?? false
      } && !exchangesNames(stored)
  }

  /// Whether models or properties have exchanged their names in a later description, which hashes leave out.
  private func exchangesNames(_ later: StoredSchema) -> Bool {
    guard later.modelCache != modelCache, let model = later.model else { return false }
    let exchanged = ExchangedNames(
      ModelDescription(entities: model.entities.filter { entities[$0.name] != nil }))
    guard !exchanged.isEmpty, let modelCache, let stored = try? ModelCache.decode(modelCache)
    else { return false }
    return !exchanged.pending(in: stored).isEmpty
  }

  private func check(_ connection: Connection) throws {
    let stored: StoredSchema?
    switch known.withLock({ $0 }) {
    case .version(let version):
      if try connection.schemaVersion == version { return }
      stored = try StoredSchema.read(connection)
    case .description(let earlier):
      stored = try StoredSchema.read(connection, since: earlier)
    }
    guard let stored, describesSameEntities(stored) else { throw Migrated() }
    known.withLock { $0 = .version(stored.schemaVersion) }
  }

  private static func entities(
    of stored: StoredSchema, below roots: Set<String>
  ) -> [String: Entity] {
    let numbers = stored.entitiesByNumber
    let hashes = stored.modelMetadata?.versionHashes ?? [:]
    let external = stored.modelMetadata?.externalAttributes
    let forms = stored.modelMetadata?.compositeForms ?? [:]
    var entities: [String: Entity] = [:]
    for entity in stored.entities {
      guard let root = root(of: entity, numbers)?.name, roots.contains(root) else { continue }
      entities[entity.name] = Entity(
        number: entity.number, superNumber: entity.superNumber, hash: hashes[entity.name],
        columns: hashes.isEmpty ? stored.columns["Z" + root.uppercased()] ?? [:] : [:],
        externalAttributes: external.map { names in
          Set(names.filter { $0.hasPrefix(entity.name + ".") })
        },
        compositeForms: forms.filter { $0.key.hasPrefix(entity.name + ".") })
    }
    return entities
  }

  private static func root(
    of entity: StoredSchema.Entity?, _ numbers: [Int: StoredSchema.Entity]
  ) -> StoredSchema.Entity? {
    var root = entity
    // In a damaged table, superentities may form a cycle.
    for _ in 0..<numbers.count {
      guard let parent = root.flatMap({ numbers[$0.superNumber] }) else { break }
      root = parent
    }
    return root
  }
}

extension StoreSchemaMonitor.Migrated {
  private var advice: String {
    isReplaced
      ? "was replaced by another store since it was opened. Create a new container to read that one"
      : "was migrated by another process or container since it was opened: its tables now belong to other "
        + "models. Open it again with those models"
  }

  func whileReading(_ url: URL) -> any Error {
    SwiftDataError.storeReadFailure.with(
      "The store at \(url.path) \(advice).", doing: "reading rows", because: .schemaMismatch)
  }

  func whileWriting(_ url: URL, else consequence: String) -> any Error {
    SwiftDataError.storeWriteFailure.with(
      "The store at \(url.path) \(advice); \(consequence).", doing: "beginning the transaction",
      because: .schemaMismatch)
  }
}
