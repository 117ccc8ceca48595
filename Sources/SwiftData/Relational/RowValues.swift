import Foundation
import OpenSwiftDataRowStorage

/// The values of one row on their way into a statement: cells of a snapshot, and the key before or
/// behind them.
package struct RowValues {
  let snapshot: DefaultSnapshot
  let columns: [SaveStatements.Column]
  let keys: NewKeys
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

  /// Whether one of the cells has no value, so that it equals no other.
  var hasNull: Bool {
    columns.contains { column in
      switch (column.content, snapshot.value(column.cell)) {
      case (.plain, .unset), (.plain, .null), (.plain, .object): true
      case (.tagged, .unset), (.tagged, .null), (.tagged, .object): true
      case (.plain, _), (.tagged, _): false
      case (.key, .object(let object)), (.entityNumber, .object(let object)):
        RowValues.destination(object, keys) == nil
      case (.key, .integer), (.entityNumber, .integer): false
      case (.key, _), (.entityNumber, _): true
      }
    }
  }

  fileprivate static func bind(
    _ snapshot: DefaultSnapshot, _ column: SaveStatements.Column, _ keys: NewKeys,
    to target: some ParameterTarget, at index: Int32
  ) throws {
    let value = snapshot.value(column.cell)
    switch column.content {
    case .plain: return try bind(value, to: target, at: index)
    case .tagged: return try bindTagged(value, to: target, at: index)
    case .key, .entityNumber: break
    }
    switch value {
    case .object(let object):
      guard let destination = destination(object, keys) else { break }
      let value = column.content == .key ? destination.key : Int64(destination.entity)
      return try target.bind(value, at: index)
    case .integer(let word):
      let packed = PackedKey(word: word)
      return try target.bind(column.content == .key ? packed.key : packed.entity, at: index)
    default: break
    }
    try target.bindNull(at: index)
  }

  private static func destination(
    _ object: AnyObject, _ keys: NewKeys
  ) -> (key: Int64, entity: Int)? {
    (object as? IdentifierBox).flatMap { keys.destination(of: $0.identifier) }
  }

  private static func bind(
    _ value: _SlotValue, to target: some ParameterTarget, at index: Int32
  ) throws {
    switch value {
    case .unset, .null, .object: try target.bindNull(at: index)
    case .integer(let value): try target.bind(value, at: index)
    case .real(let value): try target.bind(value, at: index)
    case .text(let value): try target.bind(value, at: index)
    case .blob(let value): try target.bind(value, at: index)
    case .uuid(let value):
      try withUnsafeBytes(of: value.uuid) { try target.bind(bytes: $0, at: index) }
    }
  }

  /// Binds bytes behind the tag that says they stand inline.
  private static func bindTagged(
    _ value: _SlotValue, to target: some ParameterTarget, at index: Int32
  ) throws {
    switch value {
    case .blob(let data): try target.bind(Data([1]) + data, at: index)
    case .text(let text): try target.bind(Data([1]) + Data(text.utf8), at: index)
    default: try bind(value, to: target, at: index)
    }
  }
}

/// New rows of one entity, which one statement inserts.
package struct RowWrites {
  let snapshots: ArraySlice<DefaultSnapshot>
  /// The keys of the rows.
  let rowKeys: ArraySlice<Int64>
  let columns: [SaveStatements.Column]
  let keys: NewKeys

  package var count: Int { snapshots.count }

  /// Binds the values of each row and calls `run`.
  package func forEach(_ target: some ParameterTarget, _ run: () throws -> Void) throws {
    for (snapshot, key) in zip(snapshots, rowKeys) {
      try target.bind(key, at: 1)
      var index: Int32 = 2
      for column in columns {
        try RowValues.bind(snapshot, column, keys, to: target, at: index)
        index += 1
      }
      try run()
    }
  }
}

/// The keys of the models that a save inserts, by temporary identifier.
package final class NewKeys {
  private var known: [ObjectIdentifier: (key: Int64, entity: Int)] = [:]
  private let mapping: SchemaMapping

  init(mapping: SchemaMapping) {
    self.mapping = mapping
  }

  func assign(_ key: Int64, entity: Int, to identifier: PersistentIdentifier) {
    known[ObjectIdentifier(identifier.id.scope)] = (key, entity)
  }

  func isNew(_ identifier: PersistentIdentifier) -> Bool {
    known[ObjectIdentifier(identifier.id.scope)] != nil
  }

  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? known[ObjectIdentifier(identifier.id.scope)]?.key
      ?? identifier.resolved.rowKey
  }

  func destination(of identifier: PersistentIdentifier) -> (key: Int64, entity: Int)? {
    if let new = known[ObjectIdentifier(identifier.id.scope)] { return new }
    let permanent = identifier.resolved
    guard let key = permanent.rowKey, let entity = mapping.entity(named: permanent.entityName)
    else { return nil }
    return (key, entity.number)
  }
}
