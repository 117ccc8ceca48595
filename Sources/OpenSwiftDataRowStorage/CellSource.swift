/// How one column of a result becomes one cell of a row.
package struct CellSource: Hashable, Sendable {
  /// How the value of the column is read.
  package enum Conversion: UInt8, Sendable {
    case integer, real, text, blob
    /// Bytes behind a tag byte: kept inline, or outside of the row under a name (`TaggedValue`).
    case tagged
    /// A key, with the number of its entity from the next column, as a `PackedKey`.
    case keyAndEntity

    /// The plain reading of a cell.
    package init(_ kind: CellKind) {
      self =
        switch kind {
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
  }

  package let column: Int32
  package let cell: Int
  package let conversion: Conversion

  package init(column: Int, cell: Int, conversion: Conversion) {
    self.column = Int32(column)
    self.cell = cell
    self.conversion = conversion
  }
}
