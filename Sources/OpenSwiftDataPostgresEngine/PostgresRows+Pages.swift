import Foundation
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
    for source in sources {
      let (column, cell) = (Int(source.column), source.cell)
      if isNull(column) {
        builder.setNull(at: cell)
        continue
      }
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
    return builder.finishRow()
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
