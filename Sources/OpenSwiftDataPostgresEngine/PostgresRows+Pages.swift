import Foundation
import OpenSwiftDataCPostgres
package import OpenSwiftDataRowStorage

extension PostgresRows {
  /// Copies the current row into `builder`.
  ///
  /// A cell takes values of these types: integers from `bigint`, `integer`, `smallint` and `boolean`,
  /// and from `numeric` without decimal places; floating-point numbers from `double precision`,
  /// `real` and integers; texts from text types, and digits from `numeric`; bytes from `bytea`, `uuid` and text types.
  /// - Parameter sources: The cell for each column; the cells must be the builder's filled cells.
  /// - Throws: `PostgresError` if a value does not fit into its cell. Nothing becomes null silently.
  package func copyRow(
    into builder: inout RowBuilder, _ sources: ContiguousArray<CellSource>
  ) throws -> UnsafeRawPointer {
    builder.begin()
    // Each access to a property of a class checks for exclusive access, so the loop makes few.
    guard let part else { throw failure(0, as: "a row") }
    let (row, types) = (row, types)
    for source in sources {
      let cell = source.cell
      let count = PQgetlength(part, row, source.column)
      if count == 0, PQgetisnull(part, row, source.column) != 0 {
        builder.setNull(at: cell)
        continue
      }
      let value = UnsafeRawBufferPointer(
        start: PQgetvalue(part, row, source.column), count: Int(count))
      // The forms that almost all values have.
      switch (source.conversion, types[Int(source.column)]) {
      case (.integer, .bigint) where count == 8:
        builder.setInteger(Int64(bigEndian: value.loadUnaligned(as: Int64.self)), at: cell)
      case (.integer, .boolean) where count == 1:
        builder.setInteger(value[0] == 0 ? 0 : 1, at: cell)
      case (.real, .double) where count == 8:
        builder.setReal(
          Double(bitPattern: UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))), at: cell)
      case (.text, .text), (.blob, .bytea), (.blob, .uuid):
        if Int(count) > PostgresConnection.largeMessage { noteLargeValue() }
        builder.setBytes(value, at: cell)
      default: try copyValue(source, into: &builder)
      }
    }
    return builder.finishRow()
  }

  /// Copies a value that is not null.
  private func copyValue(_ source: CellSource, into builder: inout RowBuilder) throws {
    let (column, cell) = (Int(source.column), source.cell)
    switch source.conversion {
    case .integer: builder.setInteger(try required(try integer(column), column), at: cell)
    case .real: builder.setReal(try required(try double(column), column), at: cell)
    case .text:
      if types[column] == .numeric {
        var digits = try decimal(column)?.description ?? ""
        digits.withUTF8 { builder.setBytes(UnsafeRawBufferPointer($0), at: cell) }
      } else {
        guard types[column].isText else { throw failure(column, as: "a text") }
        builder.setBytes(bytes(column), at: cell)
      }
    case .blob: builder.setBytes(try blob(column), at: cell)
    case .tagged where types[column].isText: builder.setBytes(bytes(column), at: cell)
    case .tagged:
      switch TaggedValue(try blob(column)) {
      case .value(let bytes): builder.setBytes(bytes, at: cell)
      case .name(let name): builder.setExternal(named: name, at: cell)
      }
    case .keyAndEntity:
      let entity = try required(try integer(column + 1), column + 1)
      let key = try required(try integer(column), column)
      builder.setInteger(PackedKey(key: key, entity: entity).word, at: cell)
    }
  }

  private func required<Value>(_ value: Value?, _ column: Int) throws -> Value {
    guard let value else { throw failure(column, as: "a value that is not null") }
    return value
  }

  private func blob(_ column: Int) throws -> UnsafeRawBufferPointer {
    guard types[column] == .bytea || types[column] == .uuid || types[column].isText else {
      throw failure(column, as: "bytes")
    }
    return bytes(column)
  }
}
