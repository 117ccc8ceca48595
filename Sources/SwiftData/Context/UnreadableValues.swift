/// The properties of a context's models that read as stand-ins.
///
/// `noteUnreadable` of a storage adds to it, through `_FaultSource`; a save that stores another value,
/// a deletion and a fresh row remove from it. Used on the thread of the context only.
struct UnreadableValues {
  /// In the order in which they were met.
  private(set) var all: [UnreadableValue] = []
  private var known: Set<UnreadableValue> = []
  private var identifiers: Set<PersistentIdentifier> = []

  static let limit = 10_000

  var isEmpty: Bool { all.isEmpty }

  /// Whether a property of the model is listed.
  func concerns(_ identifier: PersistentIdentifier) -> Bool { identifiers.contains(identifier) }

  mutating func note(_ value: UnreadableValue) {
    guard all.count < Self.limit, known.insert(value).inserted else { return }
    all.append(value)
    identifiers.insert(value.persistentModelID)
  }

  mutating func forget(where isOutdated: (UnreadableValue) -> Bool) {
    all.removeAll(where: isOutdated)
    known = Set(all)
    identifiers = Set(all.map(\.persistentModelID))
  }
}

extension ContextCore {
  func _note(_ unreadable: UnreadableValue) {
    unreadableValues.note(unreadable)
    UnreadableValueLog.note(unreadable)
  }

  /// Forgets what a save or a fresh row has replaced.
  func forgetUnreadable(_ replaced: [(identifier: PersistentIdentifier, names: Set<String>?)]) {
    guard replaced.contains(where: { unreadableValues.concerns($0.identifier) }) else { return }
    let names = Dictionary(replaced.map { ($0.identifier, $0.names) }) { first, _ in first }
    unreadableValues.forget { value in
      guard let names = names[value.persistentModelID] else { return false }
      return names?.contains(value.propertyName) ?? true
    }
  }
}

extension ModelContext {
  /// The stored values that models of this context could not show, in the order in which they were met.
  ///
  /// A required property whose column is empty, or holds what its type does not take, reads as a
  /// stand-in; the first read adds it to this list and writes a line to standard error. What is
  /// stored stays until the property is set. A value leaves the list when a save stores another one
  /// or deletes the row, and when another context has replaced it. The list has up to 10,000 values. Not
  /// in Apple's framework.
  public var unreadableValues: [UnreadableValue] { core.unreadableValues.all }
}
