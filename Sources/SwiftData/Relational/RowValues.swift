import Foundation
import OpenSwiftDataRowStorage

/// The values of one row for a statement: cells, and the key before or after them.
package struct RowValues {
  let row: RowCells
  let cells: [SaveStatements.Cell]
  let keys: InsertedKeys
  /// Parameter 0 of an insert.
  var leadingKey: Int64?
  /// The last parameter of an update.
  package var trailingKey: Int64?

  package func bind(to target: some ParameterTarget) throws {
    var index: Int32 = 1
    if let leadingKey {
      try target.bind(leadingKey, at: index)
      index += 1
    }
    try row.bind(cells, keys, to: target, from: index)
    if let trailingKey { try target.bind(trailingKey, at: index + Int32(cells.count)) }
  }

  /// Whether one of the cells is null, so that the values equal no others.
  var hasNull: Bool {
    cells.contains { cell in
      switch (cell.content, row.value(cell.number)) {
      case (.plain, .null), (.plain, .identifier), (.tagged, .null), (.tagged, .identifier),
        (.decimal, .null):
        true
      case (.plain, _), (.tagged, _), (.decimal, _): false
      case (.key, .identifier(let identifier)), (.entityNumber, .identifier(let identifier)):
        keys.destination(of: identifier) == nil
      case (.key, .integer), (.entityNumber, .integer): false
      case (.key, _), (.entityNumber, _): true
      }
    }
  }
}

extension RowCells {
  /// Binds cells to consecutive parameters, the first of which has the number `first`.
  func bind(
    _ cells: [SaveStatements.Cell], _ keys: InsertedKeys, to target: some ParameterTarget,
    from first: Int32
  ) throws {
    var index = first
    for cell in cells {
      if cell.content == .plain {
        try bind(cell.number, to: target, at: index)
      } else {
        try bind(requiredValue(cell.number), as: cell.content, keys, to: target, at: index)
      }
      index += 1
    }
  }

  /// Binds a cell that a column contains as it is. A cell of the row is not copied: the page
  /// outlives the statement's run.
  private func bind(_ cell: Int, to target: some ParameterTarget, at index: Int32) throws {
    if let changed, cell < changed.count {
      switch changed[cell] {
      case .unset: break
      case .integer(let value): return try target.bind(value, at: index)
      case .real(let value): return try target.bind(value, at: index)
      case .text(let value): return try target.bind(value, at: index)
      case .null, .blob, .uuid, .boxed, .model, .identifier, .toMany, .weakReferences:
        return try RowCells.bind(changedValue(cell) ?? .null, to: target, at: index)
      }
    }
    guard let reader else { return try target.bindNull(at: index) }
    if reader.isNull(cell) {
      if reader.isExternal(cell) {
        return try RowCells.bind(requiredValue(cell), to: target, at: index)
      }
      return try target.bindNull(at: index)
    }
    switch descriptor.layout.kinds[cell] {
    case .integer: try target.bind(reader.integer(cell), at: index)
    case .real: try target.bind(reader.real(cell), at: index)
    case .text: try target.bind(borrowedText: reader.bytes(cell), at: index)
    case .blob: try target.bind(borrowedBytes: reader.bytes(cell), at: index)
    }
  }

  private func bind(
    _ value: SnapshotValue, as content: SaveStatements.Cell.Content, _ keys: InsertedKeys,
    to target: some ParameterTarget, at index: Int32
  ) throws {
    switch (content, value) {
    case (.decimal, .text(let digits)):
      let number = Decimal(storedValue: .text(digits)).map { SnapshotValue($0.storedValue) }
      return try RowCells.bind(number ?? value, to: target, at: index)
    case (.plain, _), (.decimal, _): return try RowCells.bind(value, to: target, at: index)
    case (.tagged, _): return try RowCells.bindTagged(value, to: target, at: index)
    case (.key, .identifier(let identifier)):
      if let key = keys.destination(of: identifier)?.key { return try target.bind(key, at: index) }
    case (.entityNumber, .identifier(let identifier)):
      if let number = keys.destination(of: identifier)?.entity {
        return try target.bind(Int64(number), at: index)
      }
    case (.key, .integer(let word)): return try target.bind(PackedKey(word: word).key, at: index)
    case (.entityNumber, .integer(let word)):
      return try target.bind(PackedKey(word: word).entity, at: index)
    case (.key, _), (.entityNumber, _): break
    }
    try target.bindNull(at: index)
  }

  private static func bind(
    _ value: SnapshotValue, to target: some ParameterTarget, at index: Int32
  ) throws {
    switch value {
    case .null, .identifier, .reference: try target.bindNull(at: index)
    case .integer(let value): try target.bind(value, at: index)
    case .real(let value): try target.bind(value, at: index)
    case .text(let value): try target.bind(value, at: index)
    case .blob(let value): try target.bind(value, at: index)
    case .uuid(let value):
      try withUnsafeBytes(of: value.uuid) { try target.bind(bytes: $0, at: index) }
    }
  }

  /// Binds bytes after the tag that marks them as the value or as the name of its file.
  private static func bindTagged(
    _ value: SnapshotValue, to target: some ParameterTarget, at index: Int32
  ) throws {
    switch value {
    case .blob(let data): try target.bind(Data([TaggedValue.valueTag]) + data, at: index)
    case .text(let text):
      try target.bind(Data([TaggedValue.valueTag]) + Data(text.utf8), at: index)
    case .reference(let name):
      try target.bind(Data([TaggedValue.nameTag]) + Data(name.utf8) + Data([0]), at: index)
    case .null, .integer, .real, .uuid, .identifier: try bind(value, to: target, at: index)
    }
  }
}
