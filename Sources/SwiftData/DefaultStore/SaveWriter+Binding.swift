import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLiteEngine

/// Values of snapshots as parameters of statements.
extension SaveWriter {
  /// - Returns: Whether null was bound.
  func bind(
    _ snapshot: DefaultSnapshot, _ column: SaveStatements.Column, to statement: Statement,
    at index: Int32
  ) throws -> Bool {
    let value = snapshot.value(column.cell)
    switch column.content {
    case .plain: return try SaveWriter.bind(value, to: statement, at: index)
    case .tagged: return try bindTagged(value, to: statement, at: index)
    case .key, .entityNumber: break
    }
    switch value {
    case .object(let object):
      guard let identifier = (object as? IdentifierBox)?.identifier,
        let destination = destination(of: identifier)
      else { break }
      let value = column.content == .key ? destination.key : Int64(destination.entity)
      try statement.bind(value, at: index)
      return false
    case .integer(let word):
      let packed = PackedKey(word: word)
      try statement.bind(column.content == .key ? packed.key : packed.entity, at: index)
      return false
    default: break
    }
    try statement.bindNull(at: index)
    return true
  }

  static func bind(
    _ value: _SlotValue, to statement: Statement, at index: Int32
  ) throws -> Bool {
    switch value {
    case .unset, .null, .object:
      try statement.bindNull(at: index)
      return true
    case .integer(let value): try statement.bind(value, at: index)
    case .real(let value): try statement.bind(value, at: index)
    case .text(let value): try statement.bind(value, at: index)
    case .blob(let value): try statement.bind(value, at: index)
    case .uuid(let value):
      try withUnsafeBytes(of: value.uuid) { try statement.bind(bytes: $0, at: index) }
    }
    return false
  }

  /// Binds bytes behind the tag that says they stand inline.
  func bindTagged(
    _ value: _SlotValue, to statement: Statement, at index: Int32
  ) throws -> Bool {
    let bytes: Data
    switch value {
    case .blob(let data): bytes = data
    case .text(let text): bytes = Data(text.utf8)
    default: return try SaveWriter.bind(value, to: statement, at: index)
    }
    try statement.bind(Data([1]) + bytes, at: index)
    return false
  }
}
