/// The new models of a save, in the order of their insertion.
///
/// They are the part of a request that may have many thousands of elements, so they are not copied:
/// a store reads the cells of a row from the storage of its model when it writes the row. Only a
/// model with values that have another form in memory than in a row
/// (`_ModelDescriptor.slotsToConvert`) has a snapshot. It is made when the model is added, because
/// the conversion may fail and must happen once. The models of a request of the public protocol
/// have snapshots only.
///
/// The context retains the models and changes none of them until the stores have written them.
package struct NewModels {
  /// Empty in a request of the public protocol.
  private(set) var storages: [_ModelStorage] = []
  /// Empty as long as no model has a snapshot; then one entry for each model.
  private var snapshots: [DefaultSnapshot?] = []
  /// Whether attributes contain temporary identifiers.
  private(set) var namesNewModels = false

  init() {}

  package init(_ snapshots: [DefaultSnapshot]) {
    self.snapshots = snapshots
    namesNewModels = snapshots.contains { $0.identifierValues != nil }
  }

  mutating func reserveCapacity(_ count: Int) { storages.reserveCapacity(count) }

  /// - Parameter isForColumns: Whether the store has a column for each part of a value.
  /// - Returns: The attributes that contain temporary identifiers; `nil` for none.
  /// - Throws: `SwiftDataError.modelValidationFailure` when a value can't be encoded;
  ///   `SwiftDataError.storeReadFailure` when the file of one is missing.
  mutating func append(
    _ storage: _ModelStorage, isForColumns: Bool
  ) throws -> IdentifierValues? {
    storage.completePartialRow()
    if !storage.descriptor.externalSlots.isEmpty { try storage.requireExternalValues() }
    var holders: IdentifierValues?
    if !storage.descriptor.slotsToConvert.isEmpty {
      let snapshot = try DefaultSnapshot(storage, isForColumns: isForColumns)
      if snapshots.isEmpty { snapshots = Array(repeating: nil, count: storages.count) }
      snapshots.append(snapshot)
      holders = snapshot.identifierValues
      if holders != nil { namesNewModels = true }
    } else if !snapshots.isEmpty {
      snapshots.append(nil)
    }
    storages.append(storage)
    return holders
  }

  /// Called when the stores have written the models.
  mutating func releaseSnapshots() { snapshots = [] }

  // MARK: Reading

  var indices: Range<Int> { 0..<max(storages.count, snapshots.count) }

  private func snapshot(at index: Int) -> DefaultSnapshot? {
    snapshots.isEmpty ? nil : snapshots[index]
  }

  /// A snapshot of a model, made now if it has none.
  subscript(index: Int) -> DefaultSnapshot {
    snapshot(at: index) ?? DefaultSnapshot(lenient: storages[index])
  }

  /// The snapshots of all models, made now for those without one.
  var allSnapshots: [DefaultSnapshot] { indices.map { self[$0] } }

  /// The snapshots that contain members of to-many relationships.
  var snapshotsWithMembers: [DefaultSnapshot] {
    snapshots.compactMap { $0.flatMap { $0.toManys.isEmpty ? nil : $0 } }
  }

  func descriptor(at index: Int) -> _ModelDescriptor {
    storages.isEmpty ? self[index].descriptor : storages[index].descriptor
  }

  func cells(at index: Int) -> RowCells {
    // Not through `snapshot(at:)`, which would copy the whole snapshot.
    if !snapshots.isEmpty, let cells = snapshots[index]?.rowCells { return cells }
    return RowCells(storages[index])
  }

  /// The temporary identifier of a model; `nil` if it was never requested, so that no other model
  /// refers to it.
  func knownIdentifier(at index: Int) -> PersistentIdentifier? {
    if !snapshots.isEmpty, let identifier = snapshots[index]?.persistentIdentifier {
      return identifier
    }
    return storages[index].knownIdentifier
  }

  /// The temporary identifiers in attributes of a model, among some slots.
  func temporaryIdentifiers(at index: Int, in slots: SlotSet) -> [PersistentIdentifier] {
    if !namesNewModels { return [] }
    return snapshot(at: index)?.temporaryIdentifiers(in: slots) ?? []
  }

  /// Puts permanent identifiers into some attributes of a model.
  mutating func name(_ new: NewIdentifiers, at index: Int, in slots: SlotSet) {
    snapshots[index] = snapshots[index]?.naming(new, in: slots)
  }

  /// Puts permanent identifiers into the attributes of some models.
  mutating func name(_ new: NewIdentifiers) {
    for index in snapshots.indices where snapshots[index]?.identifierValues != nil {
      snapshots[index] = snapshots[index]?.naming(new)
    }
  }

  /// Writes other values of a model than those that it has in memory.
  mutating func replace(at index: Int, with snapshot: DefaultSnapshot) {
    if snapshots.isEmpty { snapshots = Array(repeating: nil, count: storages.count) }
    snapshots[index] = snapshot
  }
}
