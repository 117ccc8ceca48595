import Synchronization

/// What many identifiers have in common: the store and the entity, or a temporary identity.
///
/// Rows of one entity share one scope, so an identifier is two words and copying it is one retain.
@usableFromInline
final class IdentifierScope: Sendable {
  enum Kind: Sendable {
    /// The identifier's `key` is the row's integer primary key.
    case row
    /// A primary key of a custom store, in its textual form.
    case text(String)
    /// A model that no store has saved yet.
    case temporary(TemporaryIdentity)
  }

  let storeIdentifier: String?
  let entityName: String
  let kind: Kind
  let hashSeed: Int

  init(storeIdentifier: String?, entityName: String, kind: Kind) {
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
    self.kind = kind
    var hasher = Hasher()
    switch kind {
    case .row:
      hasher.combine(storeIdentifier)
      hasher.combine(entityName)
    case .text(let key):
      hasher.combine(storeIdentifier)
      hasher.combine(entityName)
      hasher.combine(key)
    case .temporary(let identity):
      hasher.combine(identity.serial)
    }
    hashSeed = hasher.finalize()
  }

  func isEqual(to other: IdentifierScope) -> Bool {
    if self === other { return true }
    switch (kind, other.kind) {
    case (.row, .row):
      return entityName == other.entityName && storeIdentifier == other.storeIdentifier
    case (.text(let a), .text(let b)):
      return a == b && entityName == other.entityName && storeIdentifier == other.storeIdentifier
    case (.temporary(let a), .temporary(let b)):
      return a === b
    default:
      return false
    }
  }
}

/// The identity of a model before its first save, shared by all copies of its identifier.
///
/// The save that stores the model records the permanent identifier here, so a copy taken before
/// the save still leads to the row.
final class TemporaryIdentity: Sendable {
  let serial: Int
  private let saved = Mutex<PersistentIdentifier?>(nil)

  private static let counter = Atomic<Int>(0)
  private static let processName = "\(UInt64.random(in: .min ... .max))"

  init() {
    serial = TemporaryIdentity.counter.wrappingAdd(1, ordering: .relaxed).newValue
  }

  var permanentIdentifier: PersistentIdentifier? {
    get { saved.withLock { $0 } }
    set { saved.withLock { $0 = newValue } }
  }

  var primaryKey: String { "t\(TemporaryIdentity.processName)-\(serial)" }
}
