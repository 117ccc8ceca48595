import OpenSwiftDataCSQLite
package import OpenSwiftDataRowStorage

extension Statement {
  /// Copies the current row into `builder`. In a cell for numbers, any other value becomes null.
  ///
  /// Each column is asked for once. The functions for its value do not lock the connection, which is
  /// allowed because it has one user at a time.
  /// - Parameter sources: The cell for each column; the cells must be the builder's filled cells.
  package func copyRow(
    into builder: inout RowBuilder, _ sources: ContiguousArray<CellSource>
  ) -> UnsafeRawPointer {
    builder.begin()
    sources.withUnsafeBufferPointer { sources in
      for source in sources {
        let value = sqlite3_column_value(handle, source.column)
        let type = sqlite3_value_type(value)
        let cell = source.cell
        if type == SQLITE_NULL {
          builder.setNull(at: cell)
          continue
        }
        switch source.conversion {
        case .integer:
          if type == SQLITE_INTEGER || isWhole(value, type) {
            builder.setInteger(sqlite3_value_int64(value), at: cell)
          } else {
            builder.setNull(at: cell)
          }
        case .real:
          if type == SQLITE_FLOAT || type == SQLITE_INTEGER {
            builder.setReal(sqlite3_value_double(value), at: cell)
          } else {
            builder.setNull(at: cell)
          }
        case .text:
          let text = sqlite3_value_text(value)
          let count = Int(sqlite3_value_bytes(value))
          builder.setBytes(UnsafeRawBufferPointer(start: text, count: count), at: cell)
        case .blob:
          builder.setBytes(blob(value), at: cell)
        case .tagged:
          // A text has no tag: another program wrote it.
          switch type == SQLITE_BLOB ? TaggedValue(blob(value)) : .value(blob(value)) {
          case .value(let bytes): builder.setBytes(bytes, at: cell)
          case .name(let name): builder.setExternal(named: name, at: cell)
          }
        case .keyAndEntity:
          let entity = sqlite3_column_int64(handle, source.column + 1)
          let key = PackedKey(key: sqlite3_value_int64(value), entity: entity)
          builder.setInteger(key.word, at: cell)
        }
      }
    }
    return builder.finishRow()
  }

  private func isWhole(_ value: OpaquePointer?, _ type: Int32) -> Bool {
    type == SQLITE_FLOAT && Int64(exactly: sqlite3_value_double(value)) != nil
  }

  private func blob(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let bytes = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
  }
}
