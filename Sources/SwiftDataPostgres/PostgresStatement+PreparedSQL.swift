package import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataRowStorage
package import SwiftData

extension PostgresStatement: ParameterTarget {
  package func bind(_ value: Int64, at index: Int32) throws {
    try described { try parameters.bind(value, at: Int(index)) }
  }

  /// Null stands for NaN, as in SQLite: to the server NaN is equal to itself and greater than every
  /// number.
  package func bind(_ value: Double, at index: Int32) throws {
    if value.isNaN { return try bindNull(at: index) }
    try described { try parameters.bind(value, at: Int(index)) }
  }

  package func bind(_ value: String, at index: Int32) throws {
    try described { try parameters.bind(value, at: Int(index)) }
  }

  package func bind(_ value: Data, at index: Int32) throws {
    if value.count < 4096 || isNumeric(index) || isText(index) {
      return try value.withUnsafeBytes { try bind(bytes: $0, at: index) }
    }
    try described { try parameters.bind(retained: value, at: Int(index)) }
  }

  /// The digits of a decimal with many digits are bytes in the engine, and a text that a file may keep
  /// outside the row is bytes with a tag.
  package func bind(bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    try described {
      if isNumeric(index) {
        try parameters.bind(borrowedText: bytes, at: Int(index))
      } else if isText(index), bytes.first == TaggedValue.valueTag {
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        try parameters.bind(text, at: Int(index))
      } else {
        try parameters.bind(bytes: bytes, at: Int(index))
      }
    }
  }

  package func bind(borrowedText: UnsafeRawBufferPointer, at index: Int32) throws {
    try described { try parameters.bind(borrowedText: borrowedText, at: Int(index)) }
  }

  package func bind(borrowedBytes: UnsafeRawBufferPointer, at index: Int32) throws {
    if isNumeric(index) { return try bind(bytes: borrowedBytes, at: index) }
    try described { try parameters.bind(borrowedBytes: borrowedBytes, at: Int(index)) }
  }

  package func bindNull(at index: Int32) throws {
    try described { try parameters.bindNull(at: Int(index)) }
  }

  private func isNumeric(_ index: Int32) -> Bool { type(index) == .numeric }

  private func isText(_ index: Int32) -> Bool { type(index)?.isText ?? false }

  private func type(_ index: Int32) -> PostgresType? {
    let index = Int(index) - 1
    return parameterTypes.indices.contains(index) ? parameterTypes[index] : nil
  }
}

extension PostgresStatement: PreparedSQL {
  func bind(_ values: SQLParameters) throws {
    parameters.clear()
    try values.bind(to: self)
  }

  package func run(_ parameters: SQLParameters) throws -> Int {
    try bind(parameters)
    return try run()
  }

  package func runLater(_ parameters: SQLParameters) throws {
    try bind(parameters)
    try runLater()
  }

  package func integersLater(
    _ parameters: SQLParameters, _ receive: @escaping ([Int64]) -> Void
  ) throws {
    try bind(parameters)
    try runLater(receive)
  }

  package func run(_ rows: RowWrites, goesOn: (Int64?) -> Bool) throws {
    _ = try rows.forEach(self) {
      let number = try integer()
      parameters.clear()
      return goesOn(number)
    }
  }

  package func run(_ pairs: [KeyPair], changed: (KeyPair) -> Void) throws {
    try runBatch(pairs.count) { index, parameters in
      try parameters.bind(pairs[index].first, at: 1)
      try parameters.bind(pairs[index].second, at: 2)
    } result: { index, result in
      if result.changedRows > 0 { changed(pairs[index]) }
    }
  }

  package func integer(_ parameters: SQLParameters) throws -> Int64? {
    try bind(parameters)
    return try integer()
  }

  package func integers(_ parameters: SQLParameters) throws -> [Int64] {
    try bind(parameters)
    return try integers()
  }

  package func values(_ parameters: SQLParameters) throws -> [[_StoredValue]] {
    try bind(parameters)
    return try rows { rows in
      var values: [[_StoredValue]] = []
      while try rows.next() {
        values.append(
          try (0..<rows.columnCount).map { _StoredValue(try rows.value($0)) })
      }
      return values
    }
  }

  package func keys(_ parameters: SQLParameters, into keys: inout RowKeys) throws {
    try bind(parameters)
    try rows { rows in
      let hasNumber = rows.columnCount > 1
      while try rows.next() {
        keys.append(
          try rows.integer(0) ?? 0, entityNumber: hasNumber ? Int(try rows.integer(1) ?? 0) : 0)
      }
    }
  }

  package func row(_ key: Int64, _ reading: RowReading) throws -> DefaultSnapshot? {
    try bind(.integer(key))
    return try rows { rows in
      let cursor = PostgresCursor(rows)
      let row = try reading.readFirst(cursor)
      try cursor.check()
      return row
    }
  }

  package func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows {
    try bind(parameters)
    return try rows { try $0.read(reading) }
  }
}

extension PostgresRows {
  func read(_ reading: RowReading) throws -> ReadRows {
    let cursor = PostgresCursor(self)
    let read = try reading.read(cursor)
    try cursor.check()
    return read
  }
}

extension _StoredValue {
  fileprivate init(_ value: PostgresValue) {
    switch value {
    case .null, .array: self = .null
    case .boolean(let value): self = .integer(value ? 1 : 0)
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .real(let value): self = .real(Double(value))
    case .numeric(let value): self = value.storedValue
    case .text(let value): self = .text(value)
    case .bytes(let value): self = .blob(value)
    case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
    }
  }
}
