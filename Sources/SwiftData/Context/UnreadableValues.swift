/// The properties of a context's models that read as placeholder values.
///
/// `noteUnreadable` of a storage adds to it, through `_FaultSource`. A save that stores another
/// value, a deletion and a new row remove from it. Used on the thread of the context only.
final class UnreadableValues {
  /// In the order of their first reads.
  private(set) var all: [UnreadableValue] = []
  private var known: Set<UnreadableValue> = []
  private var identifiers: Set<PersistentIdentifier> = []

  /// Whether a model has returned a stand-in for a stored value.
  private var hasStandIns = false

  /// Why the file of a value could not be read last.
  private var cause: (any Error)?

  static let limit = 10_000

  var isEmpty: Bool { all.isEmpty }

  func note(_ value: UnreadableValue) {
    if value.reason.isOfStoredValue { hasStandIns = true }
    guard all.count < Self.limit, known.insert(value).inserted else { return }
    all.append(value)
    identifiers.insert(value.persistentModelID)
  }

  /// Called before `note`, if the file of a value can't be read.
  func noteCause(_ error: any Error) { cause = error }

  /// Removes what a save or a new row has replaced.
  func forget(_ replaced: [(identifier: PersistentIdentifier, names: Set<String>?)]) {
    guard replaced.contains(where: { identifiers.contains($0.identifier) }) else { return }
    let names = Dictionary(replaced.map { ($0.identifier, $0.names) }) { first, _ in first }
    forget { value in
      guard let names = names[value.persistentModelID] else { return false }
      return names?.contains(value.propertyName) ?? true
    }
  }

  /// Called before a save.
  /// - Parameter changed: The edited models.
  /// - Throws: `SwiftDataError.storeReadFailure` if an edit may be made from a stand-in, such as
  ///   `x.count += 1` of a value that could not be read, or `x.tags.insert("a")` of one that does not fit.
  func requireNoDerivedEdits(in changed: OrderedModels) throws {
    guard hasStandIns else { return }
    let edited = changed.filter { !$0.derivedProperties.isEmpty }
    guard let storage = edited.first else { return }
    // A value that is set from now on is made from one that was read before only if the app kept that.
    for storage in edited { storage.forgetReadsOfDerivedValues() }
    let names = storage.derivedProperties
    let reasons = all.filter {
      $0.persistentModelID == storage.identifier && $0.propertyName == names.first
    }.map(\.reason)
    let isUnsuitable = reasons.last == .unsuitableValue
    let entity = storage.descriptor.entityName
    let properties = names.map { "\(entity).\($0)" }.joined(separator: ", ")
    let cause =
      isUnsuitable
      ? "the stored value, which does not fit its type, was read"
      : "the stored value could not be read"
    let advice =
      isUnsuitable
      ? "Roll back to keep the stored value, which models with its earlier type can read. To replace it"
      : "Roll back and repeat the edit; or"
    throw SwiftDataError.storeReadFailure.with(
      "\(properties) of \(storage.identifier): changed after \(cause), so "
        + "the new value may be made from the stand-in that was read. Nothing was saved. \(advice) "
        + "assign a value that does not depend on what was read, without reading the property again before.",
      doing: "saving", entity: entity, property: names.first, underlying: self.cause,
      because: reasons.contains(.unreadableStore) ? .unavailable : nil)
  }

  private func forget(where isOutdated: (UnreadableValue) -> Bool) {
    all.removeAll(where: isOutdated)
    known = Set(all)
    identifiers = Set(all.map(\.persistentModelID))
  }
}

extension ModelContext {
  /// The stored values that models of this context could not show, in the order of their first
  /// reads.
  ///
  /// A property whose column contains a value that its type does not accept reads as nil, or as a
  /// placeholder value if it is required; so does a required one whose column is empty. While a store
  /// can't be read, all properties and relationships do: as nil, or as an empty list. The first read
  /// adds it to this list and writes a warning to standard error. The stored value is kept until the
  /// property is set. A value is removed from the list when a save stores another one or deletes the
  /// row, and when another context has replaced it. The list has up to 10,000 values. Not in Apple's
  /// framework.
  public var unreadableValues: [UnreadableValue] { core.unreadableValues.all }
}
