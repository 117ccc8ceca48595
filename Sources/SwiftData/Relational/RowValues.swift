import Foundation
import OpenSwiftDataRowStorage

/// The values of one row for a statement: cells of a snapshot, and the key before or after them.
package struct RowValues {
  let snapshot: DefaultSnapshot
  let columns: [SaveStatements.Column]
  let keys: InsertedKeys
  /// Parameter 0 of an insert.
  var leadingKey: Int64?
  /// The last parameter of an update.
  var trailingKey: Int64?

  package func bind(to target: some ParameterTarget) throws {
    var index: Int32 = 1
    if let leadingKey {
      try target.bind(leadingKey, at: index)
      index += 1
    }
    for column in columns {
      try RowValues.bind(snapshot, column, keys, to: target, at: index)
      index += 1
    }
    if let trailingKey { try target.bind(trailingKey, at: index) }
  }

  /// Whether one of the cells is null, so that the values equal no others.
  var hasNull: Bool {
    columns.contains { column in
      switch (column.content, snapshot.value(column.cell)) {
      case (.plain, .null), (.plain, .identifier), (.tagged, .null), (.tagged, .identifier): true
      case (.plain, _), (.tagged, _): false
      case (.key, .identifier(let identifier)), (.entityNumber, .identifier(let identifier)):
        keys.destination(of: identifier) == nil
      case (.key, .integer), (.entityNumber, .integer): false
      case (.key, _), (.entityNumber, _): true
      }
    }
  }

  static func bind(
    _ snapshot: DefaultSnapshot, _ column: SaveStatements.Column, _ keys: InsertedKeys,
    to target: some ParameterTarget, at index: Int32
  ) throws {
    let value = snapshot.value(column.cell)
    switch column.content {
    case .plain: return try bind(value, to: target, at: index)
    case .tagged: return try bindTagged(value, to: target, at: index)
    case .key, .entityNumber: break
    }
    switch value {
    case .identifier(let identifier):
      guard let destination = keys.destination(of: identifier) else { break }
      let value = column.content == .key ? destination.key : Int64(destination.entity)
      return try target.bind(value, at: index)
    case .integer(let word):
      let packed = PackedKey(word: word)
      return try target.bind(column.content == .key ? packed.key : packed.entity, at: index)
    case .null, .real, .text, .blob, .uuid, .reference: break
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
