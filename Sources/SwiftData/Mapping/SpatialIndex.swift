package import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// An index over several numeric properties, for range queries on all of them: `#Index` of the kind
/// `.rtree`.
package struct SpatialIndex: Hashable, Sendable {
  package let entity: String
  /// The properties, one for each column.
  package let properties: [String]
  package let table: String
  package let columns: [String]
  /// The columns that may be null: those of optional properties, and of floating-point numbers, whose NaN is stored
  /// as null. A row without one of the numbers is not in the tree.
  package let nullableColumns: Set<String>

  /// The name of the R-tree, which follows the names in Apple's files.
  package var name: String { "Z_RT_\(entity)_SwiftDataIndexOnRTree\(properties.joined())" }

  /// The tree's column for the minimum of a value.
  package static func lower(_ column: String) -> String { column + "_MIN" }

  /// The tree's column for the maximum of a value.
  package static func upper(_ column: String) -> String { column + "_MAX" }

  /// The R-tree, for databases that support it.
  package var tree: SpatialTree {
    SpatialTree(
      name, of: table, key: RowColumns.key,
      ranges: columns.map {
        SpatialTree.Range(
          column: $0, lower: SpatialIndex.lower($0), upper: SpatialIndex.upper($0))
      })
  }

  /// The replacement for databases without R-trees.
  package var ordinaryIndex: CreateIndex {
    CreateIndex(
      "Z_\(entity)_SwiftDataIndexOnBinary\(properties.joined())", on: table,
      columns: columns.map { .init($0, isBinary: true, direction: .ascending) })
  }

  /// The index of the points that the first two columns are, for PostgreSQL.
  package var pointIndex: CreateIndex? {
    point(alias: nil).map {
      CreateIndex(
        name, on: table, columns: columns.prefix(2).map { .init($0) }, method: "gist",
        expression: $0)
    }
  }

  /// The point of a row in `pointIndex`; null if one of its numbers is absent, or NaN, beside which a search
  /// of the index would miss rows.
  package func point(alias: String?) -> SQLExpression? {
    if columns.count < 2 { return nil }
    return .function(
      "point",
      columns.prefix(2).map { column in
        .function(
          "nullif",
          [
            .cast(.column(table: alias, name: column), to: .real), .cast(.text("NaN"), to: .real),
          ])
      })
  }

  /// The maximum number of columns in a tree.
  static let mostColumns = 5

  /// Whether a tree supports values of the type. Trees store floating-point numbers; the stored
  /// form of large unsigned integers has another order.
  static func holds(_ content: ColumnContent) -> Bool {
    guard case .scalar(let type) = content else { return false }
    return type.isInteger || type.traits.column == .real || type.traits.column == .date
  }
}

extension SchemaBlueprint {
  /// The spatial indexes that an entity itself declares.
  func spatialIndexes(of entity: Entity) -> [SpatialIndex] {
    declaredSpatialIndexes(of: entity).compactMap { spatialIndex(of: $0, in: entity) }
  }

  /// The properties of declared spatial indexes that a tree does not support.
  func nonSpatialIndexes(of entity: Entity) -> [[String]] {
    declaredSpatialIndexes(of: entity).filter { spatialIndex(of: $0, in: entity) == nil }
  }

  private func declaredSpatialIndexes(of entity: Entity) -> [[String]] {
    let parent = entity.superName.flatMap { self[$0] }
    let inherited = parent?.descriptor.spatialIndices ?? []
    return entity.descriptor.spatialIndices.filter { !inherited.contains($0) }
  }

  private func spatialIndex(
    of names: [String], in entity: Entity
  ) -> SpatialIndex? {
    var nullable: Set<String> = []
    let columns = names.compactMap { name -> String? in
      let columns = self.columns(of: name, in: entity)
      guard let column = columns.first, columns.count == 1, SpatialIndex.holds(column.content)
      else { return nil }
      if column.isOptional || column.sqlType == .real { nullable.insert(column.name) }
      return column.name
    }
    guard columns.count == names.count, columns.count <= SpatialIndex.mostColumns else {
      return nil
    }
    return SpatialIndex(
      entity: entity.name, properties: names,
      table: layout.table(of: entity.name), columns: columns, nullableColumns: nullable)
  }

  private func columns(of name: String, in entity: Entity) -> [ColumnMapping] {
    let path = name.split(separator: ".").map(String.init)
    guard let first = path.first, let slot = entity.descriptor.slot(named: first) else { return [] }
    switch mapping(of: slot, in: entity).kind {
    case .attribute(let column): return [column]
    case .composite(let leaves):
      return leaves.filter { $0.leaf.path.starts(with: path.dropFirst()) }.map(\.column)
    case .toOne, .toMany, .ephemeral: return []
    }
  }
}
