/// Models that have changed, by name, as long as they are few.
///
/// Those of the context are named by their storages, which know their identifiers at any time;
/// those saved by other contexts, containers and processes by their identifiers.
struct ChangedModelSet {
  private(set) var storages: [ObjectIdentifier: _ModelStorage] = [:]
  private(set) var identifiers: Set<PersistentIdentifier> = []
  /// Whether some are not named.
  private(set) var areIncomplete = false
  /// The model that was named last, which is usually the next one too.
  private var last: ObjectIdentifier?

  /// Above this number, fetching all costs less than visiting each one.
  static var limit: Int { 256 }

  var count: Int { storages.count + identifiers.count }

  mutating func insert(_ storage: _ModelStorage) {
    let key = ObjectIdentifier(storage)
    if last == key || areIncomplete { return }
    storages[key] = storage
    last = key
    shorten()
  }

  mutating func insert(_ identifier: PersistentIdentifier) {
    if areIncomplete { return }
    identifiers.insert(identifier)
    shorten()
  }

  mutating func markIncomplete() { self = ChangedModelSet(areIncomplete: true) }

  mutating func formUnion(_ other: ChangedModelSet) {
    if areIncomplete || other.areIncomplete { return markIncomplete() }
    storages.merge(other.storages) { first, _ in first }
    identifiers.formUnion(other.identifiers)
    shorten()
  }

  private mutating func shorten() {
    if count > ChangedModelSet.limit { markIncomplete() }
  }

  init() {}

  private init(areIncomplete: Bool) { self.areIncomplete = areIncomplete }
}
