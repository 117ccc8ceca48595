import OpenSwiftDataRowStorage

/// Attributes with identifiers of models that get their keys in the same save.
extension DefaultSnapshot {
  /// Encodes the attributes that contain temporary identifiers again.
  /// - Parameter slots: Those to encode; the others stay.
  /// - Returns: The same attributes if some identifiers in them are still temporary, else `nil`.
  func put(
    _ new: NewIdentifiers, into cells: inout ContiguousArray<_SlotValue>?,
    _ slots: SlotSet = .all
  ) -> IdentifierValues? {
    guard let identifierValues else { return nil }
    let all = new.after(identifierValues.known)
    var lacksSome = false
    for (slot, value) in identifierValues.all {
      if !slots.contains(slot) {
        lacksSome = true
        continue
      }
      let result = try? all.encode(value, slot, of: descriptor, into: &cells)
      if result?.lacksSome != false { lacksSome = true }
    }
    return lacksSome ? IdentifierValues(identifierValues, new) : nil
  }

  /// The same values, with permanent identifiers in attributes where they are known.
  func naming(_ new: NewIdentifiers, in slots: SlotSet = .all) -> DefaultSnapshot {
    guard identifierValues != nil else { return self }
    var named = cells
    let rest = put(new, into: &named, slots)
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: named, toManys: toManys, changedSlots: changedSlots, displacedLinks: displacedLinks,
      identifierValues: rest)
  }

  /// The temporary identifiers in attributes among some slots.
  func temporaryIdentifiers(in slots: SlotSet) -> [PersistentIdentifier] {
    guard let identifierValues else { return [] }
    let found = CollectedIdentifiers()
    let collecting = NewIdentifiers {
      found.all.append($0)
      return nil
    }
    let all = collecting.after(identifierValues.known)
    var cells = descriptor.unsetCells
    for (slot, value) in identifierValues.all where slots.contains(slot) {
      _ = try? all.encode(value, slot, of: descriptor, into: &cells)
    }
    return found.all
  }
}

extension _ModelDescriptor {
  /// Cells to encode values into.
  fileprivate var unsetCells: ContiguousArray<_SlotValue>? {
    ContiguousArray(repeating: .unset, count: layout.kinds.count)
  }
}

/// Used by one thread.
private final class CollectedIdentifiers: @unchecked Sendable {
  var all: [PersistentIdentifier] = []
}

extension NewIdentifiers {
  /// Whether a value contains identifiers of models without a key.
  static func areMissing(
    in value: _SlotValue, _ slot: Int, of descriptor: _ModelDescriptor
  ) -> Bool {
    var cells = descriptor.unsetCells
    let none = NewIdentifiers { _ in nil }
    return (try? none.encode(value, slot, of: descriptor, into: &cells))?.lacksSome ?? false
  }

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
    var cells = descriptor.unsetCells
    var (written, lacking) = (SlotSet(), SlotSet())
    let new = new.after(values.known)
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
