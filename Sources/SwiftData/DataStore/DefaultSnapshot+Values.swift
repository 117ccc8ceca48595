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

/// Represents, in a cell of a snapshot, a value that a save stores outside the row.
struct StoredReference {
  let name: String
}

extension SnapshotValue {
  init(_ value: _StoredValue) {
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

  /// The value as a cell of a row has it. A `Decimal` is stored as a number where that is exact, but
  /// rows have its text; every reader takes the bytes of a cell as its kind says.
  func stored(as kind: CellKind) -> SnapshotValue {
    switch (kind, self) {
    case (.text, .integer(let value)): .text(String(value))
    case (.text, .real(let value)): .text(String(value))
    case (.text, .blob(let bytes)): .text(String(decoding: bytes, as: UTF8.self))
    case (.real, .integer(let value)): .real(Double(value))
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob), (.blob, .uuid): self
    case (_, .null), (_, .identifier), (_, .reference): self
    case (.blob, .text(let text)): .blob(Data(text.utf8))
    default: .null
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
    case (.uuid(let a), .blob(let b)), (.blob(let b), .uuid(let a)): a.storedValue == .blob(b)
    case (.identifier(let a), .identifier(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    default: false
    }
  }
}

// MARK: Rows

extension DefaultSnapshot {
  /// The same values with the attributes in a row, as models read them; relationships are kept
  /// outside it.
  ///
  /// A snapshot that a store made contains all its values in cells, so an unset cell is null. One
  /// that a store kept from an update has the changed values in cells, over the row of before.
  var withRow: DefaultSnapshot {
    guard let cells, row == nil || hasChangedAttributes else { return self }
    var builder = RowBuilder(layout: descriptor.layout)
    builder.begin()
    for (cell, kind) in descriptor.layout.kinds.enumerated() {
      builder.set(value(cell).stored(as: kind), at: cell)
    }
    let index = builder.finish()
    var others = ContiguousArray<_SlotValue>(repeating: .unset, count: cells.count)
    for slot in descriptor.relationshipSlots { others[slot] = cells[slot] }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: index.page,
      row: index.row, cells: others, toManys: toManys, changedSlots: changedSlots)
  }
}

extension DefaultSnapshot {
  /// Whether a cell of an attribute has another value than the row.
  private var hasChangedAttributes: Bool {
    guard let cells else { return false }
    return cells.indices.contains { cell in
      if case .unset = cells[cell] { return false }
      return !descriptor.properties.indices.contains(cell)
        || descriptor.properties[cell].destination == nil
    }
  }
}

extension RowBuilder {
  fileprivate mutating func set(_ value: SnapshotValue, at cell: Int) {
    switch value {
    case .integer(let value): setInteger(value, at: cell)
    case .real(let value): setReal(value, at: cell)
    case .text(let value): setText(value, at: cell)
    case .blob(let value): setData(value, at: cell)
    case .uuid(let value): setUUID(value, at: cell)
    case .null, .identifier, .reference: setNull(at: cell)
    }
  }
}
