import Foundation
import OpenSwiftDataRowStorage

/// The value of one cell of a snapshot. Immutable, unlike the values in a model's slots.
enum SnapshotValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
  case uuid(UUID)
  /// The name of a value that a save stores outside the row.
  case reference(String)
  /// The related model of a to-one relationship that was set. If the row has it, it is an integer.
  case identifier(PersistentIdentifier)
}

extension DefaultSnapshot {
  /// The value of a cell, from the changes or from the row.
  func value(_ cell: Int) -> SnapshotValue {
    if let changed = changedValue(cell) { return changed }
    guard let row else { return .null }
    let reader = RowReader(row: row, cellsOffset: descriptor.layout.cellsOffset)
    if reader.isNull(cell) {
      return reader.externalContent(cell, page)
        .map { SnapshotValue(descriptor.layout.stored($0, cell)) } ?? .null
    }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(reader.integer(cell))
    case .real: .real(reader.real(cell))
    case .text: .text(reader.text(cell))
    case .blob: .blob(Data(reader.bytes(cell)))
    }
  }

  /// The changed value of a cell; nil if the row has the value.
  func changedValue(_ cell: Int) -> SnapshotValue? {
    guard let cells, cell < cells.count else { return nil }
    return switch cells[cell] {
    case .unset: nil
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    case .uuid(let value): .uuid(value)
    case .identifier(let identifier): .identifier(identifier)
    case .boxed(let box): box.value(as: StoredReference.self).map { .reference($0.name) } ?? .null
    // Converted when the snapshot was created; a value that could not be converted is left out.
    case .model, .toMany, .weakReferences: .null
    }
  }

  /// The same values, with the name of a value in place of the value that is stored outside the
  /// row.
  func naming(_ name: String, for cell: Int) -> DefaultSnapshot {
    var cells =
      cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    cells[cell] = _SlotValue.boxing(StoredReference(name: name))
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys, changedSlots: changedSlots)
  }

  /// The known members and changes of a to-many relationship.
  func toMany(_ slot: Int) -> ToManySnapshot? { toManys.first { $0.slot == slot } }
}

/// Represents, in a cell of a snapshot, a value that a save stores outside the row.
private struct StoredReference {
  let name: String
}

extension SnapshotValue {
  fileprivate init(_ value: _StoredValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .text(value)
    case .blob(let value): self = .blob(value)
    }
  }

  /// The value of an attribute as a store keeps it.
  var stored: _StoredValue {
    switch self {
    case .null, .identifier, .reference: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    case .uuid(let value): value.storedValue
    }
  }

  /// Whether two values are equal bit by bit.
  func isSame(as other: SnapshotValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.identifier(let a), .identifier(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    default: false
    }
  }
}
