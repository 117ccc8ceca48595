/// The indexes of a file.
extension StoreLayout {
  /// The indexes of entity tables, then those of join tables.
  package var indexes: [Index] {
    var found: [Index] = []
    for table in tables {
      let hierarchy = model.subtree(of: table.root)
      found += table.columns.filter(\.isKey).map { column in
        Index(
          name: "\(table.name)_\(column.name)_INDEX".shortened(to: longestName), table: table.name,
          columns: [Index.Column(name: column.name, isAscending: nil)], isUnique: false)
      }
      if hierarchy.count > 1 {
        found.append(
          Index(
            name: "\(table.name)_Z_ENT_INDEX".shortened(to: longestName), table: table.name,
            columns: [Index.Column(name: "Z_ENT", isAscending: nil)], isUnique: false))
      }
      for entity in hierarchy { found += declaredIndexes(of: entity) }
    }
    found += joinTables.map { table in
      Index(
        name: "\(table.name)_\(table.columns[1])_INDEX".shortened(to: longestName),
        table: table.name,
        columns: table.columns.reversed().map { Index.Column(name: $0, isAscending: nil) },
        isUnique: false)
    }
    var names: Set<String> = []
    return found.filter { names.insert($0.name).inserted }
  }

  /// The indexes of `#Index`, except R-trees, and those of unique constraints.
  private func declaredIndexes(of entity: EntityDescription) -> [Index] {
    let table = table(of: entity.name)
    let plain = entity.indexes.filter { !$0.isSpatial }.map { index in
      Index(
        name: index.objectName(of: entity.name).shortened(to: longestName), table: table,
        columns: index.elements.flatMap { element in
          columnNames(of: element.property, in: entity.name).map {
            Index.Column(name: $0, isAscending: element.isAscending)
          }
        }, isUnique: false)
    }
    let unique = entity.uniqueConstraints.map { members in
      Index(
        name: "Z_\(entity.name)_UNIQUE_\(members.joined(separator: "_"))"
          .shortened(to: longestName), table: table,
        columns: members.flatMap { columnNames(of: $0, in: entity.name) }.map {
          Index.Column(name: $0, isAscending: true)
        }, isUnique: true)
    }
    return (plain + unique).filter { !$0.columns.isEmpty }
  }

  /// The columns of a property, or of the leaves below a dotted path.
  package func columnNames(of path: String, in entity: String) -> [String] {
    let steps = path.split(separator: ".").map(String.init)
    guard let first = steps.first, let (owner, property) = model.property(first, of: entity)
    else { return [] }
    switch property {
    case .attribute(let attribute):
      return attribute.leaves.filter { $0.path.starts(with: steps.dropFirst()) }.compactMap {
        column(first, of: owner.name, $0.path.isEmpty ? .value : .leaf($0.path))?.name
      }
    case .relationship: return [column(first, of: owner.name)?.name].compactMap(\.self)
    case .fetched: return []
    }
  }
}
