import OpenSwiftDataCSQLite
package import OpenSwiftDataRowStorage

extension Statement {
  /// Copies the current row into `builder`. In a cell for numbers, any other value becomes null.
  /// - Parameter sources: The cell for each column; the cells must be the builder's filled cells.
  package func copyRow(
    into builder: inout RowBuilder, _ sources: ContiguousArray<CellSource>
  ) -> (page: RowPage, row: UnsafeRawPointer) {
    let handle = handle
    builder.begin()
    for source in sources {
      let column = source.column
      let type = sqlite3_column_type(handle, column)
      if type == SQLITE_NULL {
        builder.setNull(at: source.cell)
        continue
      }
      switch source.conversion {
      case .integer:
        if type == SQLITE_INTEGER || isWhole(column, type) {
          builder.setInteger(sqlite3_column_int64(handle, column), at: source.cell)
        } else {
          builder.setNull(at: source.cell)
        }
      case .real:
        if type == SQLITE_FLOAT || type == SQLITE_INTEGER {
          builder.setReal(sqlite3_column_double(handle, column), at: source.cell)
        } else {
          builder.setNull(at: source.cell)
        }
      case .text:
        let text = sqlite3_column_text(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        builder.setBytes(UnsafeRawBufferPointer(start: text, count: count), at: source.cell)
      case .blob:
        builder.setBytes(blob(column), at: source.cell)
      case .tagged:
        // A text has no tag: another program wrote it.
        switch type == SQLITE_BLOB ? TaggedValue(blob(column)) : .value(blob(column)) {
        case .value(let bytes): builder.setBytes(bytes, at: source.cell)
        case .name(let name): builder.setExternal(named: name, at: source.cell)
        }
      case .keyAndEntity:
        let key = sqlite3_column_int64(handle, column)
        let entity = sqlite3_column_int64(handle, column + 1)
        builder.setInteger(PackedKey(key: key, entity: entity).word, at: source.cell)
      }
    }
    return builder.finish()
  }

  private func isWhole(_ column: Int32, _ type: Int32) -> Bool {
    type == SQLITE_FLOAT && Int64(exactly: sqlite3_column_double(handle, column)) != nil
  }

  private func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let bytes = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column)))
  }
}
