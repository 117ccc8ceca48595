import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// Whether the values of a column may be stored in files.
enum ExternalColumn {
  /// At least one value names a file, and all other values have a tag.
  case certain
  /// Every value begins with the tag of a value that is stored in its row.
  case possible
}

/// A model to generate classes from, and the names of entities that hide other types.
struct SourceModel {
  let model: ModelDescription
  /// Columns whose values may be stored in files, which a model does not record.
  let external: [StoreLayout.ColumnID: ExternalColumn]
  /// The names of all entities.
  let names: Set<String>

  init(_ model: ModelDescription, external: [StoreLayout.ColumnID: ExternalColumn] = [:]) {
    self.model = model
    self.external = external
    names = Set(model.entities.map(\.name))
  }

  /// The name of a type or macro, qualified with its module if an entity has the same name.
  func name(_ name: String, of module: String) -> String {
    names.contains(name) ? "\(module).\(name)" : name
  }

  /// Whether a path begins with a property that the entity's class declares or inherits.
  func isProperty(_ path: String, of entity: String) -> Bool {
    let names = path.split(separator: ".").map(String.init)
    guard let first = names.first, names.allSatisfy(\.isSwiftName),
      let property = model.property(first, of: entity)?.property
    else { return false }
    switch property {
    case .attribute(let attribute): return !attribute.isTransient
    case .relationship(let relationship): return !relationship.isTransient
    case .fetched: return false
    }
  }
}

extension OpenedStore {
  /// The columns with large values, by the metadata, or else those of bytes whose values all begin with a
  /// tag: files of Apple's framework do not say it.
  func externalColumns() throws -> [StoreLayout.ColumnID: ExternalColumn] {
    if let known = schema.modelMetadata?.externalAttributes {
      let columns = layout.tables.flatMap(\.columns).filter {
        $0.id.part == .value && known.contains("\($0.id.entity).\($0.id.property)")
      }
      return Dictionary(columns.map { ($0.id, .certain) }) { first, _ in first }
    }
    var found: [StoreLayout.ColumnID: ExternalColumn] = [:]
    for table in layout.tables {
      for column in table.columns
      where column.id.part == .value && schema.columns[table.name]?[column.name] == "BLOB" {
        let value = column.name.quotedName
        let counts = try integers(
          """
          SELECT count(*), count(*) FILTER (WHERE substr(\(value), 1, 1) = x'01'),
          count(*) FILTER (WHERE substr(\(value), 1, 1) = x'02' AND length(\(value)) IN (37, 38)
            AND CAST(substr(\(value), 2, 36) AS TEXT) GLOB '????????-????-????-????-????????????')
          FROM \(table.name.quotedName) WHERE \(value) IS NOT NULL
          """, count: 3)
        guard counts[0] > 0, counts[1] + counts[2] == counts[0] else { continue }
        found[column.id] = counts[2] > 0 ? .certain : .possible
      }
    }
    return found
  }
}
