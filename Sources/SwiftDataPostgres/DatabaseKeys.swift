import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// The last keys that were assigned to rows. Saves take keys from sequences, and leave the store's list
/// of them as it is.
enum DatabaseKeys {
  /// The entities with their last keys: those that the store lists, or larger ones.
  static func entities(_ connection: PostgresConnection) throws -> [CopiedStore.Entity] {
    let columns = try DatabaseRows.columns(connection)
    return try connection.prepare(
      "SELECT \"Z_ENT\", \"Z_NAME\", \"Z_SUPER\", coalesce(\"Z_MAX\", 0) FROM \"Z_PRIMARYKEY\" ORDER BY 1"
    ).rows { rows in
      var found: [CopiedStore.Entity] = []
      while try rows.next() {
        found.append(
          CopiedStore.Entity(
            name: try rows.text(1) ?? "", number: Int(try rows.integer(0) ?? 0),
            superNumber: Int(try rows.integer(2) ?? 0), lastKey: try rows.integer(3) ?? 0))
      }
      return found
    }.map { entity in
      let history = HistoryTables.Entity(rawValue: entity.number)
      let table = history?.table ?? table(of: entity)
      guard entity.superNumber == 0, columns[table]?.contains(RowColumns.key) == true,
        let largest = try PostgresNumbers.lastKey(entity.number, table, connection),
        largest > entity.lastKey
      else { return entity }
      return CopiedStore.Entity(
        name: entity.name, number: entity.number, superNumber: 0, lastKey: largest)
    }
  }

  private static func table(of root: CopiedStore.Entity) -> String {
    StoreLayout.table(forRoot: root.name).shortened(to: SQLDialect.postgreSQL.longestName)
  }

  /// Lists the last keys in the store, so that no key of a deleted row is assigned again.
  static func store(_ entities: [CopiedStore.Entity], _ connection: PostgresConnection) throws {
    let update = try connection.prepare(
      "UPDATE \"Z_PRIMARYKEY\" SET \"Z_MAX\" = $1 WHERE \"Z_ENT\" = $2")
    try update.runBatch(entities.count) { index, parameters in
      try parameters.bind(entities[index].lastKey, at: 1)
      try parameters.bind(Int64(entities[index].number), at: 2)
    }
  }

  /// Lists the last keys in a copied store, and creates the sequences that continue them.
  static func write(_ entities: [CopiedStore.Entity], _ connection: PostgresConnection) throws {
    try store(entities, connection)
    try PostgresNumbers.completeSequences(
      roots(of: entities).map { ($0.number, table(of: $0)) }, connection)
  }

  /// The entities without a superentity, except those of the history.
  static func roots(of entities: [CopiedStore.Entity]) -> [CopiedStore.Entity] {
    entities.filter { $0.superNumber == 0 && HistoryTables.Entity(rawValue: $0.number) == nil }
  }
}
