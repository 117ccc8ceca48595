package import OpenSwiftDataRowStorage
package import OpenSwiftDataSQLSyntax

/// The columns of an entity and its subentities, and the cells into which they are read.
///
/// Built once per entity. Result column 0 is the primary key; column 1 is the entity number if the
/// table contains several entities.
package struct RowSelection: Sendable {
  package let columns: [SQLExpression]
  package let hasEntityNumber: Bool
  /// The source column of each cell, by entity number.
  package let indices: [Int: [CellSource]]

  package static let alias = "t0"

  /// - Parameter slots: The properties to read; `nil` for all. Constants are always read, because a model is made
  ///   with their values.
  package init(_ entity: EntityMapping, in mapping: SchemaMapping, slots: Set<Int>? = nil) {
    var columns: [SQLExpression] = [RowColumns.key(of: RowSelection.alias)]
    hasEntityNumber = entity.subtreeNumbers.count > 1
    if hasEntityNumber { columns.append(RowColumns.entity(of: RowSelection.alias)) }
    var known: [String: Int] = [:]
    var indices: [Int: [CellSource]] = [:]
    for number in entity.subtreeNumbers {
      guard let member = mapping.entity(number: number) else { continue }
      var own: [CellSource] = []
      for (names, cell, content) in RowSelection.cells(of: member, slots) {
        let first: Int
        if let index = known[names[0]] {
          first = index
        } else {
          first = columns.count
          known[names[0]] = first
          columns += names.map { .column(table: RowSelection.alias, name: $0) }
        }
        own.append(CellSource(column: first, cell: cell, conversion: content))
      }
      indices[number] = own
    }
    self.columns = columns
    self.indices = indices
  }

  /// Adjacent result columns, the cell that they fill, and the conversion.
  private static func cells(
    of entity: EntityMapping, _ slots: Set<Int>?
  ) -> [(columns: [String], cell: Int, content: CellSource.Conversion)] {
    let kinds = entity.descriptor.layout.kinds
    var cells: [(columns: [String], cell: Int, content: CellSource.Conversion)] = []
    for property in entity.properties {
      if let slots, !slots.contains(property.slot),
        !entity.descriptor.constantSlots.contains(property.slot)
      {
        continue
      }
      switch property.kind {
      case .attribute(let column):
        let isTagged = entity.descriptor.properties[property.slot].isExternallyStored
        let content = isTagged ? .tagged : CellSource.Conversion(kinds[property.slot])
        cells.append(([column.name], property.slot, content))
      case .composite(let leaves):
        let leafCells = entity.descriptor.properties[property.slot].leafCells
        for (leaf, cell) in zip(leaves, leafCells) {
          cells.append(([leaf.column.name], cell, CellSource.Conversion(kinds[cell])))
        }
      case .toOne(let toOne):
        if let number = toOne.entityNumber {
          cells.append(([toOne.key.name, number.name], property.slot, .keyAndEntity))
        } else {
          cells.append(([toOne.key.name], property.slot, .integer))
        }
      case .toMany, .ephemeral: continue
      }
    }
    return cells
  }
}
