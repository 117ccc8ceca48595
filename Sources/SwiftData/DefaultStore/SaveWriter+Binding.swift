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
    case .identifier(let identifier):
      guard let destination = destination(of: identifier) else { break }
      let value = column.content == .key ? destination.key : Int64(destination.entity)
      try statement.bind(value, at: index)
      return false
    case .integer(let packed):
      let key = packed & 0xFFFF_FFFF_FFFF
      try statement.bind(column.content == .key ? key : packed >> 48, at: index)
      return false
    case .null, .real, .text, .blob, .uuid: break
    }
    try statement.bindNull(at: index)
    return true
  }

  static func bind(
    _ value: SnapshotValue, to statement: Statement, at index: Int32
  ) throws -> Bool {
    switch value {
    case .null, .identifier:
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
    _ value: SnapshotValue, to statement: Statement, at index: Int32
  ) throws -> Bool {
    let bytes: Data
    switch value {
    case .blob(let data): bytes = data
    case .text(let text): bytes = Data(text.utf8)
    case .null, .integer, .real, .uuid, .identifier:
      return try SaveWriter.bind(value, to: statement, at: index)
    }
    try statement.bind(Data([1]) + bytes, at: index)
    return false
  }
}
