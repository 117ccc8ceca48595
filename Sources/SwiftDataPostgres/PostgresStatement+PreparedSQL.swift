package import Foundation
import OpenSwiftDataPostgresEngine
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
    try value.withUnsafeBytes { try bind(bytes: $0, at: index) }
  }

  /// The digits of a decimal with many digits are bytes in the engine.
  package func bind(bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    try described {
      if isNumeric(index) {
        try parameters.bind(borrowedText: bytes, at: Int(index))
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

  private func isNumeric(_ index: Int32) -> Bool {
    let index = Int(index) - 1
    return parameterTypes.indices.contains(index) && parameterTypes[index] == .numeric
  }
}

extension PostgresStatement: PreparedSQL {
  private func bind(_ values: SQLParameters) throws {
    parameters.clear()
    try values.bind(to: self)
  }

  package func run(_ parameters: SQLParameters) throws -> Int {
    try bind(parameters)
    return try run()
  }

  package func run(_ rows: RowWrites) throws {
    try runBatch { send in
      _ = try rows.forEach(self) {
        try send()
        return true
      }
    }
  }

  /// An error of the server undoes all rows of the batch, so the rows before the rejected one are
  /// written again.
  package func runUntilRejected(_ rows: RowWrites) throws -> Int {
    do {
      try connection.savepoint("batch") { try run(rows) }
      return rows.count
    } catch let error as PostgresError where error.isUniquenessViolation {
      let count = error.rowIndex ?? 0
      try run(rows, count: count)
      return count
    }
  }

  /// Mostly all rows change something, so they are sent without waiting for the results. If one
  /// changes nothing, the rows before it are written again.
  package func runWhileChanging(_ rows: RowWrites) throws -> Int {
    struct Unchanged: Error {
      let index: Int
    }
    do {
      var count = 0
      try connection.savepoint("batch") {
        try runBatch { send in
          _ = try rows.forEach(self) {
            try send()
            return true
          }
        } result: { index, result in
          if result.changedRows == 0 { throw Unchanged(index: index) }
          count = index + 1
        }
      }
      return count
    } catch let unchanged as Unchanged {
      try run(rows, count: unchanged.index)
      return unchanged.index
    }
  }

  /// Runs for the first rows only.
  private func run(_ rows: RowWrites, count: Int) throws {
    if count == 0 { return }
    try runBatch { send in
      var rest = count
      _ = try rows.forEach(self) {
        if rest == 0 { return false }
        rest -= 1
        try send()
        return true
      }
    }
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

  package func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows {
    try bind(parameters)
    return try rows { rows in
      let cursor = PostgresCursor(rows)
      let read = try reading.read(cursor)
      try cursor.check()
      return read
    }
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
