/// What a unique index of a database has refused: the entity and the properties of its columns.
///
/// Administrators add indexes of their own, over expressions such as `lower(email)` or columns that no property
/// has. Errors name properties only, because clients see these names (`SwiftDataError.publicMessage`).
package struct UniqueViolation {
  /// `nil` for a table without models.
  let entity: String?
  /// The properties among the columns; empty for an index without any.
  let properties: [String]

  /// - Parameters:
  ///   - table: The table of the index; `nil` if the database did not name it.
  ///   - columns: Its columns and expressions, as far as the database named them.
  ///   - sql: The refused statement, which names the entity if the database does not.
  package init(
    table: String?, columns: [String], statement sql: String?, _ mapping: SchemaMapping
  ) {
    guard let table else {
      (entity, properties) = (StatementPurpose(sql, mapping).entity, [])
      return
    }
    // A subclass has properties that the superclass in the same table lacks.
    let sharing = mapping.entities.filter { $0.table == table }
      .sorted { $0.subtreeNumbers.count > $1.subtreeNumbers.count }
      .map { (name: $0.name, properties: $0.properties(of: columns)) }
    let concerned = sharing.max { $0.properties.count < $1.properties.count }
    entity = concerned?.name
    properties = concerned?.properties ?? []
  }

  /// - Parameter consequence: What did not happen, such as `nothing was saved`.
  package func error(
    _ cause: any Error, else consequence: String, doing operation: String? = nil
  ) -> SwiftDataError {
    let rule =
      properties.isEmpty
      ? "Another row has the same value, but a unique index or a trigger of the database refuses that"
      : "Another model has the same value, but the property is unique"
    return .modelValidationFailure.with(
      "\(rule); \(consequence). Give one of them another value.", doing: operation,
      entity: entity, property: properties.isEmpty ? nil : properties.joined(separator: ", "),
      underlying: cause,
      because: .uniqueValueTaken(entity: entity ?? "", properties: properties, holder: nil))
  }
}

extension EntityMapping {
  /// The names of the properties that have the columns. Other columns, and expressions, are left out.
  package func properties(of columns: [String]) -> [String] {
    var names: [String] = []
    for column in columns {
      let property = properties.first { property in
        self.columns(of: property).contains { $0.name == column }
      }
      if let name = property?.name, !names.contains(name) { names.append(name) }
    }
    return names
  }
}
