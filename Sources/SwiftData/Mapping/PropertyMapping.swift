/// The columns of one property of an entity.
package struct PropertyMapping: Sendable {
  package enum Kind: Sendable {
    /// One column.
    case attribute(ColumnMapping)
    /// One column for each leaf, in the order of the leaves and of the row's leaf cells.
    case composite([LeafMapping])
    case toOne(ToOneMapping)
    case toMany(ToManyMapping)
    /// In the model, but without a column.
    case ephemeral
  }

  package let slot: Int
  package let name: String
  /// The declared type without one level of `Optional`.
  package let valueType: any Any.Type
  package let isOptional: Bool
  package let kind: Kind
}

/// One leaf of a composite and its column.
package struct LeafMapping: Sendable {
  package let leaf: CompositeLeaf
  package let column: ColumnMapping
}

package struct ToOneMapping: Sendable {
  package let destination: String
  package let inverse: String?
  /// Stores the primary key of the destination.
  package let key: ColumnMapping
  /// Stores the entity number of the destination, if that has subentities.
  package let entityNumber: ColumnMapping?
  /// Whether the key may be that of a deleted row, because the delete rule of the inverse is `.noAction`.
  package let mayDangle: Bool
}

package struct ToManyMapping: Sendable {
  package enum Storage: Hashable, Sendable {
    /// The destination's table stores the owner's key in `column`. If the inverse has a column for
    /// the owner's entity number, that is `entityNumberColumn`.
    case foreignKey(table: String, column: String, entityNumberColumn: String?)
    /// A join table stores the owner's key in one column and the destination's in the other.
    case joinTable(name: String, ownerColumn: String, memberColumn: String)
  }

  package let destination: String
  package let inverse: String?
  package let storage: Storage
}
