import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import SwiftData

/// A database that is not there: it records what it is asked to run and answers from a script.
final class RecordingDriver: SQLDriver, SQLSession, SQLWriterLease, @unchecked Sendable {
  /// Rows for the statements whose text contains a part; the first entry that fits counts.
  typealias Script = [(part: String, rows: [[_StoredValue]])]

  let capabilities: SQLCapabilities
  /// Used by one thread: the tests' own.
  var script: Script = []
  private(set) var statements: [(sql: String, values: [_StoredValue])] = []
  /// Run before each commit and before each reading session; what they throw is its failure.
  var onCommit: (() throws -> Void)?
  var onRead: (() throws -> Void)?

  init(_ capabilities: SQLCapabilities) {
    self.capabilities = capabilities
  }

  /// The statements since the last call, without those that begin and end transactions.
  func take() -> [String] {
    defer { statements = [] }
    return statements.map(\.sql)
  }

  fileprivate func note(_ sql: String, _ values: [_StoredValue]) -> [[_StoredValue]] {
    statements.append((sql, values))
    return script.first { sql.contains($0.part) }?.rows ?? []
  }

  func read<R>(for reader: EditingState.ID?, _ body: (any SQLSession) throws -> R) throws -> R {
    try onRead?()
    return try body(self)
  }
  func write<R>(
    for writer: EditingState.ID?, else consequence: String,
    _ body: (any SQLSession) throws -> R
  ) throws -> R { try body(self) }
  func leaseWriter(
    for writer: EditingState.ID?, within limit: Duration?
  ) throws -> any SQLWriterLease { self }
  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R { try body(self) }
  func end() {}
  /// Keeps large values, where a test sets it.
  var values: RecordedValues?
  var externalValues: (any ExternalValueStore)? { values }

  func statement(_ sql: String) throws -> any PreparedSQL { RecordedStatement(sql, self) }
  func execute(_ sql: String) throws { _ = note(sql, []) }
  func begin() throws {}
  func commit() throws {
    try onCommit?()
  }
  func rollback() {}
  func transaction<R>(_ body: () throws -> R) throws -> R { try body() }
  func snapshot<R>(_ body: () throws -> R) throws -> R { try body() }
  func interrupt() {}
  func settleInterruption() {}
  func savepoint<R>(_ name: String, _ body: () throws -> R) throws -> R { try body() }
  func changeStamp() throws -> ChangeStamp { ChangeStamp(others: 0, own: 0) }
}

/// Keeps large values in memory, and notes what it is asked among the statements.
final class RecordedValues: ExternalValueStore, @unchecked Sendable {
  unowned let driver: RecordingDriver
  let threshold = 8
  private(set) var contents: [String: Data] = [:]

  init(_ driver: RecordingDriver) { self.driver = driver }

  func content(named name: String) -> Data? { contents[name] }
  func keeping(_ names: [String]) -> any ExternalValues { self }

  func write(_ values: [Data]) throws -> [String] {
    values.map { value in
      let name = "V\(contents.count)"
      contents[name] = value
      _ = driver.note("write \(name)", [])
      return name
    }
  }

  func recordDropped(_ name: String) { _ = driver.note("drop \(name)", []) }
  func didBegin() {}
  func willCommit() throws { _ = driver.note("will commit", []) }
  func didCommit() { _ = driver.note("did commit", []) }
  func didRollBack(triedCommit: Bool) {
    _ = driver.note(triedCommit ? "failed to commit" : "did roll back", [])
  }
}

private final class RecordedStatement: PreparedSQL {
  private let sql: String
  private let driver: RecordingDriver

  init(_ sql: String, _ driver: RecordingDriver) {
    self.sql = sql
    self.driver = driver
  }

  private func answer(_ parameters: SQLParameters) throws -> [[_StoredValue]] {
    let values = BoundValues()
    try parameters.bind(to: values)
    return driver.note(sql, values.values)
  }

  func run(_ parameters: SQLParameters) throws -> Int {
    let rows = try answer(parameters)
    guard case .integer(let changed)? = rows.first?.first else { return 1 }
    return Int(changed)
  }

  func run(_ rows: RowWrites) throws {
    let values = BoundValues()
    _ = try rows.forEach(values) {
      _ = driver.note(sql, values.values)
      return true
    }
  }

  func runUntilRejected(_ rows: RowWrites) throws -> Int {
    let values = BoundValues()
    return try rows.forEach(values) {
      _ = driver.note(sql, values.values)
      return true
    }
  }

  func runWhileChanging(_ rows: RowWrites) throws -> Int {
    let values = BoundValues()
    return try rows.forEach(values) {
      guard case .integer(let changed)? = driver.note(sql, values.values).first?.first else {
        return true
      }
      return changed > 0
    }
  }

  func run(_ rows: RowWrites, goesOn: (Int64?) -> Bool) throws {
    let values = BoundValues()
    _ = try rows.forEach(values) {
      guard case .integer(let number)? = driver.note(sql, values.values).first?.first else {
        return goesOn(nil)
      }
      return goesOn(number)
    }
  }

  func run(_ pairs: [KeyPair], changed: (KeyPair) -> Void) throws {
    for pair in pairs {
      _ = driver.note(sql, [.integer(pair.first), .integer(pair.second)])
      changed(pair)
    }
  }

  func integer(_ parameters: SQLParameters) throws -> Int64? {
    guard case .integer(let value)? = try answer(parameters).first?.first else { return nil }
    return value
  }

  func integers(_ parameters: SQLParameters) throws -> [Int64] {
    try answer(parameters).joined().map { if case .integer(let value) = $0 { value } else { 0 } }
  }

  func values(_ parameters: SQLParameters) throws -> [[_StoredValue]] { try answer(parameters) }

  func keys(_ parameters: SQLParameters, into keys: inout RowKeys) throws {
    let cursor = ScriptedRows(try answer(parameters))
    while cursor.step() {
      keys.append(
        cursor.int64(0), entityNumber: cursor.columnCount > 1 ? Int(cursor.int64(1)) : 0)
    }
  }

  func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows {
    try reading.read(ScriptedRows(try answer(parameters)))
  }
}

private final class BoundValues: ParameterTarget {
  private(set) var values: [_StoredValue] = []

  private func set(_ value: _StoredValue, at index: Int32) {
    while values.count < index { values.append(.null) }
    values[Int(index) - 1] = value
  }

  func bind(_ value: Int64, at index: Int32) { set(.integer(value), at: index) }
  func bind(_ value: Double, at index: Int32) { set(.real(value), at: index) }
  func bind(_ value: String, at index: Int32) { set(.text(value), at: index) }
  func bind(_ value: Data, at index: Int32) { set(.blob(value), at: index) }
  func bind(bytes: UnsafeRawBufferPointer, at index: Int32) { set(.blob(Data(bytes)), at: index) }
  func bind(borrowedText: UnsafeRawBufferPointer, at index: Int32) {
    set(.text(String(decoding: borrowedText, as: UTF8.self)), at: index)
  }
  func bind(borrowedBytes: UnsafeRawBufferPointer, at index: Int32) {
    set(.blob(Data(borrowedBytes)), at: index)
  }
  func bindNull(at index: Int32) { set(.null, at: index) }
}

private final class ScriptedRows: RowCursor {
  private let rows: [[_StoredValue]]
  private var place = -1

  init(_ rows: [[_StoredValue]]) { self.rows = rows }

  var columnCount: Int32 { Int32(rows.first?.count ?? 0) }

  func step() -> Bool {
    place += 1
    return rows.indices.contains(place)
  }

  func int64(_ column: Int32) -> Int64 {
    if case .integer(let value) = rows[place][Int(column)] { value } else { 0 }
  }

  func copyRow(
    into builder: inout RowBuilder, _ sources: ContiguousArray<CellSource>
  ) -> UnsafeRawPointer {
    builder.begin()
    for source in sources {
      switch rows[place][Int(source.column)] {
      case .null: builder.setNull(at: source.cell)
      case .integer(let value):
        let entity = source.conversion == .keyAndEntity ? int64(source.column + 1) : 0
        builder.setInteger(PackedKey(key: value, entity: entity).word, at: source.cell)
      case .real(let value): builder.setReal(value, at: source.cell)
      case .text(let value):
        Array(value.utf8).withUnsafeBytes { builder.setBytes($0, at: source.cell) }
      case .blob(let value): value.withUnsafeBytes { builder.setBytes($0, at: source.cell) }
      }
    }
    return builder.finishRow()
  }
}
