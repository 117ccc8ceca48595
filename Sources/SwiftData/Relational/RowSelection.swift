import OpenSwiftDataRowStorage
package import OpenSwiftDataSQLSyntax

/// How the rows of an entity, and of the entities below it, are read: columns and where they go.
///
/// Built once per entity. Result column 0 is the primary key; column 1 is the entity number where
/// the table holds several entities.
package struct RowSelection: Sendable {
  package struct Place: Sendable {
    package enum Content: Sendable { case plain(CellContent), keyAndEntity }
    package let column: Int
    package let cell: Int
    package let content: Content
  }

  package enum CellContent: Sendable { case integer, real, text, blob, tagged }

  package let columns: [SQLExpression]
  package let hasEntityNumber: Bool
  /// The places of each entity's cells, by entity number.
  package let places: [Int: [Place]]

  package static let alias = "t0"

  /// - Parameter slots: The properties to read; `nil` for all.
  package init(_ entity: EntityMapping, in mapping: SchemaMapping, slots: Set<Int>? = nil) {
    var columns: [SQLExpression] = [RowColumns.key(of: RowSelection.alias)]
    hasEntityNumber = entity.subtreeNumbers.count > 1
    if hasEntityNumber { columns.append(RowColumns.entity(of: RowSelection.alias)) }
    var known: [String: Int] = [:]
    var places: [Int: [Place]] = [:]
    for number in entity.subtreeNumbers {
      guard let member = mapping.entity(number: number) else { continue }
      var own: [Place] = []
      for (names, cell, content) in RowSelection.cells(of: member, slots) {
        let first: Int
        if let place = known[names[0]] {
          first = place
        } else {
          first = columns.count
          known[names[0]] = first
          columns += names.map { .column(table: RowSelection.alias, name: $0) }
        }
        own.append(Place(column: first, cell: cell, content: content))
      }
      places[number] = own
    }
    self.columns = columns
    self.places = places
  }

  /// Columns that follow each other in the result, the cell they fill, and how.
  private static func cells(
    of entity: EntityMapping, _ slots: Set<Int>?
  ) -> [(columns: [String], cell: Int, content: Place.Content)] {
    let kinds = entity.descriptor.layout.kinds
    var cells: [(columns: [String], cell: Int, content: Place.Content)] = []
    for property in entity.properties where slots?.contains(property.slot) ?? true {
      switch property.kind {
      case .attribute(let column):
        let isTagged = entity.descriptor.properties[property.slot].isExternallyStored
        let content = isTagged ? CellContent.tagged : CellContent(kinds[property.slot])
        cells.append(([column.name], property.slot, .plain(content)))
      case .composite(let leaves):
        let leafCells = entity.descriptor.properties[property.slot].leafCells
        for (leaf, cell) in zip(leaves, leafCells) {
          cells.append(([leaf.column.name], cell, .plain(CellContent(kinds[cell]))))
        }
      case .toOne(let toOne):
        if let number = toOne.entityNumber {
          cells.append(([toOne.key.name, number.name], property.slot, .keyAndEntity))
        } else {
          cells.append(([toOne.key.name], property.slot, .plain(.integer)))
        }
      case .toMany, .ephemeral: continue
      }
    }
    return cells
  }
}

extension RowSelection.CellContent {
  init(_ kind: CellKind) {
    self =
      switch kind {
      case .integer: .integer
      case .real: .real
      case .text: .text
      case .blob: .blob
      }
  }
}
