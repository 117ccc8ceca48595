import Foundation
import OpenSwiftDataRowStorage

/// The value of one cell of a snapshot; immutable, unlike what a model keeps in a slot.
enum SnapshotValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
  case uuid(UUID)
  /// The name of a value that a save keeps outside of the row.
  case reference(String)
  /// The partner of a to-one that was set. One that is in the row is an integer.
  case identifier(PersistentIdentifier)
}

extension DefaultSnapshot {
  /// The value of a cell, from the changes or from the row.
  func value(_ cell: Int) -> SnapshotValue {
    if let changed = changedValue(cell) { return changed }
    guard let row else { return .null }
    let reader = RowReader(row: row, cellsOffset: descriptor.layout.cellsOffset)
    if reader.isNull(cell) {
      return reader.outsideContent(cell, page)
        .map { SnapshotValue(descriptor.layout.stored($0, cell)) } ?? .null
    }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(reader.integer(cell))
    case .real: .real(reader.real(cell))
    case .text: .text(reader.text(cell))
    case .blob: .blob(Data(reader.bytes(cell)))
    }
  }

  /// The value of a cell that stands over the row; nil where the row has it.
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
    // Converted when the snapshot was taken; what could not be is left out.
    case .model, .toMany, .weakPartners: .null
    }
  }

  /// The same values, with one that was put outside of the row replaced by its name.
  func naming(_ name: String, for cell: Int) -> DefaultSnapshot {
    var cells =
      cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    cells[cell] = _ModelStorage.boxed(StoredReference(name: name))
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys, changedSlots: changedSlots)
  }

  /// What is known of a to-many relationship.
  func toMany(_ slot: Int) -> ToManySnapshot? { toManys.first { $0.slot == slot } }
}

/// Stands in a cell of a snapshot for a value that a save keeps outside of the row.
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

  /// The stored value of an attribute.
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

  /// Whether two values are equal to the last bit.
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
