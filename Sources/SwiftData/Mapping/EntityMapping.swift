import OpenSwiftDataSQLSyntax

/// The table and the columns of one entity.
package final class EntityMapping: Sendable {
  package let name: String
  /// The value of `Z_ENT` in the entity's own rows.
  package let number: Int
  /// The numbers of the entity and all its subentities.
  package let subtreeNumbers: [Int]
  package let rootName: String
  package let superName: String?
  package let table: String
  /// Whether the table also contains rows of other entities.
  package let sharesTable: Bool
  /// Whether the table has rows that belong neither to this entity nor to its subentities.
  package let isPartOfTable: Bool
  package let descriptor: _ModelDescriptor
  /// Indexed by slot.
  package let properties: [PropertyMapping]
  /// The slots of the properties that the entity itself declares.
  package let ownSlots: Range<Int>
  /// The spatial indexes, including those of superentities.
  package let spatialIndexes: [SpatialIndex]

  init(
    name: String, number: Int, subtreeNumbers: [Int], rootName: String, superName: String?,
    table: String, sharesTable: Bool, isPartOfTable: Bool, descriptor: _ModelDescriptor,
    properties: [PropertyMapping], ownSlots: Range<Int>, spatialIndexes: [SpatialIndex]
  ) {
    self.name = name
    self.number = number
    self.subtreeNumbers = subtreeNumbers
    self.rootName = rootName
    self.superName = superName
    self.table = table
    self.sharesTable = sharesTable
    self.isPartOfTable = isPartOfTable
    self.descriptor = descriptor
    self.properties = properties
    self.ownSlots = ownSlots
    self.spatialIndexes = spatialIndexes
  }

  package func property(named name: String) -> PropertyMapping? {
    properties.first { $0.name == name }
  }

  /// The property of a key path whose root is the entity's class or a superclass.
  package func property(for keyPath: AnyKeyPath) -> PropertyMapping? {
    descriptor.slot(for: keyPath).map { properties[$0] }
  }

  /// The columns of one property in the order of its values.
  package func columns(of property: PropertyMapping) -> [ColumnMapping] {
    switch property.kind {
    case .attribute(let column): [column]
    case .composite(let leaves): leaves.map(\.column)
    case .toOne(let toOne): [toOne.key] + (toOne.entityNumber.map { [$0] } ?? [])
    case .toMany, .ephemeral: []
    }
  }
}

extension EntityMapping {
  /// The condition that a row belongs to exactly this entity; `nil` if its table has no other rows. A key alone
  /// does not say so: an identifier from before two tables were merged may have the key of another entity's row.
  func isOwnRow(of table: String? = nil) -> SQLExpression? {
    sharesTable
      ? .binary(RowColumns.entity(of: table), .equal, .integer(Int64(number))) : nil
  }
}
