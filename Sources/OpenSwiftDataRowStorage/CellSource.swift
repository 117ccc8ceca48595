/// How one result column becomes one cell of a row.
package struct CellSource: Hashable, Sendable {
  /// How the column value is read.
  package enum Conversion: UInt8, Sendable {
    case integer, real, text, blob
    /// A value with a tag byte before it: stored inline, or outside the row under a name
    /// (`TaggedValue`).
    case tagged
    /// A key, combined with the entity number from the next column into a `PackedKey`.
    case keyAndEntity

    /// The conversion that reads a cell kind unchanged.
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
