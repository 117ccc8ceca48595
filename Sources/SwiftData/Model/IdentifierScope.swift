import Synchronization

/// The common part of many identifiers: the store and the entity, or a temporary identity.
///
/// Rows of one entity share one scope, so an identifier is two words and copying it is one retain.
@usableFromInline
class IdentifierScope: @unchecked Sendable {
  enum Kind: Sendable {
    /// The identifier's `key` is the row's integer primary key.
    case row
    /// A primary key of a custom store, in its textual form.
    case text(String)
    /// A model that no store has saved yet; it has a `TemporaryScope` of its own.
    case temporary
  }

  final let storeIdentifier: String?
  final let entityName: String
  final let kind: Kind
  final let hashSeed: Int
  /// The number of the entity in the store that created the scope; 0 for other scopes.
  final let entityNumber: Int

  init(storeIdentifier: String?, entityName: String, kind: Kind, entityNumber: Int = 0) {
    self.entityNumber = entityNumber
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
    self.kind = kind
    var hasher = Hasher()
    hasher.combine(storeIdentifier)
    hasher.combine(entityName)
    if case .text(let key) = kind { hasher.combine(key) }
    hashSeed = hasher.finalize()
  }

  fileprivate init(temporaryFor entityName: String, serial: Int) {
    storeIdentifier = nil
    self.entityName = entityName
    entityNumber = 0
    kind = .temporary
    hashSeed = serial
  }

  final func isEqual(to other: IdentifierScope) -> Bool {
    if self === other { return true }
    switch (kind, other.kind) {
    case (.row, .row):
      return entityName == other.entityName && storeIdentifier == other.storeIdentifier
    case (.text(let a), .text(let b)):
      return a == b && entityName == other.entityName && storeIdentifier == other.storeIdentifier
    default:
      return false
    }
  }
}

/// The identity of a model before its first save, shared by all copies of its identifier.
///
/// The save that stores the model records the permanent identifier here, so a copy from before the
/// save still leads to the row. Until then it leads to the model, in the model's context.
final class TemporaryScope: IdentifierScope, @unchecked Sendable {
  let serial: Int
  /// The textual form, if the scope was created from one.
  private let decodedKey: String?
  private let state = Mutex(State())
  private let encoded = Atomic(false)

  private struct State: @unchecked Sendable {
    var permanent: PersistentIdentifier?
    /// The pending model; the context retains it.
    var pending: UnretainedStorage?
    /// The context that the pending model belongs to.
    var source: ObjectIdentifier?
  }

  private static let counter = Atomic<Int>(0)
  private static let processName = "\(UInt64.random(in: .min ... .max))"

  init(entityName: String) {
    serial = TemporaryScope.counter.wrappingAdd(1, ordering: .relaxed).newValue
    decodedKey = nil
    super.init(temporaryFor: entityName, serial: serial)
  }

  /// The identity of a model that this process does not know, or no longer knows.
  init(entityName: String, decodedKey: String) {
    serial = TemporaryScope.counter.wrappingAdd(1, ordering: .relaxed).newValue
    self.decodedKey = decodedKey
    super.init(temporaryFor: entityName, serial: serial)
    encoded.store(true, ordering: .relaxed)
  }

  deinit { if isEncoded { EncodedIdentities.remove(self) } }

  var permanentIdentifier: PersistentIdentifier? { state.withLock { $0.permanent } }

  var primaryKey: String { decodedKey ?? "t\(TemporaryScope.processName)-\(serial)" }

  /// Whether an encoded identifier with this identity may exist.
  var isEncoded: Bool { encoded.load(ordering: .relaxed) }

  /// Called when an identifier is encoded; from then on decoding it gives this identity.
  func noteEncoded() {
    if encoded.exchange(true, ordering: .relaxed) { return }
    EncodedIdentities.insert(self)
  }

  /// The pending model, if it belongs to `source`: another context's thread must not use it.
  func pendingModel(of source: ObjectIdentifier?) -> RetainedModel? {
    var found: _ModelStorage?
    state.withLock { state in
      if let source, state.source == source { found = state.pending?.held }
    }
    return found.flatMap(RetainedModel.init)
  }

  func begin(_ storage: _ModelStorage, in source: any _FaultSource) {
    let pending = UnretainedStorage(storage)
    let source = ObjectIdentifier(source)
    state.withLock {
      $0.pending = pending
      $0.source = source
    }
  }

  func end(permanent: PersistentIdentifier?) {
    state.withLock { state in
      state.pending = nil
      if let permanent { state.permanent = permanent }
    }
  }

  /// Called when the save that stored the model was undone.
  func removePermanentIdentifier() { state.withLock { $0.permanent = nil } }

  /// Called while `storage` is deinitialised; another one may have replaced it.
  func forget(_ storage: _ModelStorage) {
    let going = UnretainedStorage(storage)
    state.withLock { if $0.pending == going { $0.pending = nil } }
  }
}
