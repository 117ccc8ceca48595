import OpenSwiftDataRowStorage

/// Attributes with identifiers of models that get their keys in the same save.
extension DefaultSnapshot {
  /// Encodes the attributes that contain temporary identifiers again.
  /// - Returns: Whether all identifiers in them are permanent now.
  func put(_ new: NewIdentifiers, into cells: inout ContiguousArray<_SlotValue>?) -> Bool {
    var lacksSome = false
    for (slot, value) in identifierValues?.all ?? [] {
      let result = try? new.encode(value, slot, of: descriptor, into: &cells)
      if result?.lacksSome != false { lacksSome = true }
    }
    return !lacksSome
  }

  /// The same values, with permanent identifiers in attributes where they are known.
  func naming(_ new: NewIdentifiers) -> DefaultSnapshot {
    guard identifierValues != nil else { return self }
    var named = cells
    let isComplete = put(new, into: &named)
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: named, toManys: toManys, changedSlots: changedSlots, displacedLinks: displacedLinks,
      identifierValues: isComplete ? nil : identifierValues)
  }
}

extension NewIdentifiers {
  fileprivate func encode(
    _ value: _SlotValue, _ slot: Int, of descriptor: _ModelDescriptor,
    into cells: inout ContiguousArray<_SlotValue>?
  ) throws -> (hasFound: Bool, lacksSome: Bool) {
    var lists: [ToManySnapshot] = []
    return try encoding {
      _ = try DefaultSnapshot.convert(
        value, slot: slot, of: descriptor, false, into: &cells, &lists)
    }
  }
}

/// The attributes of a written row that contain identifiers of new models.
struct IdentifierHolder {
  /// The place of the model among the new or the changed models of the request.
  let index: Int
  let isNew: Bool
  let descriptor: _ModelDescriptor
  let values: IdentifierValues

  /// Only with these values again.
  /// - Parameters:
  ///   - identifier: That of the row.
  ///   - slots: Those to take.
  ///   - new: The identifiers that new models have now.
  /// - Returns: The row, and the slots with identifiers of models that no save has stored; `nil` instead of the
  ///   row if nothing has to be written again.
  /// - Throws: `SwiftDataError.modelValidationFailure` when a value can't be encoded.
  func completed(
    _ identifier: PersistentIdentifier, _ slots: SlotSet, _ new: NewIdentifiers
  ) throws -> (row: DefaultSnapshot?, lacking: SlotSet) {
    var cells: ContiguousArray<_SlotValue>? = ContiguousArray(
      repeating: .unset, count: descriptor.layout.kinds.count)
    var (written, lacking) = (SlotSet(), SlotSet())
    for (slot, value) in values.all where slots.contains(slot) {
      let result = try new.encode(value, slot, of: descriptor, into: &cells)
      if result.hasFound { written.insert(slot) }
      if result.lacksSome { lacking.insert(slot) }
    }
    if written.isEmpty { return (nil, lacking) }
    let row = DefaultSnapshot(
      persistentIdentifier: identifier, descriptor: descriptor, page: nil, row: nil, cells: cells,
      changedSlots: written)
    return (row, lacking)
  }
}
