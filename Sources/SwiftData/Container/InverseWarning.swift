/// Warns once for each relationship that has no inverse, if the models look as if they meant one.
enum InverseWarning {
  static func note(_ schema: Schema) {
    for found in SchemaInference.ambiguousInverses(in: schema.entities) {
      tell(
        "\(found.entity).\(found.relationship.name) has no inverse, because there are several candidates: "
          + "\(found.names). Setting one side does not set the other. Add @Relationship(inverse:) with the "
          + "key path of one of them.")
    }
    for found in SchemaInference.unpairedArrays(in: schema.entities) {
      let (first, second) = (found.first, found.second)
      tell(
        "\(first.path) and \(second.path) have no inverse, so they are two relationships: setting one does "
          + "not set the other, and each \(second.entity) belongs to one \(first.entity) at most. For a "
          + "many-to-many relationship add @Relationship(inverse: \\\(first.path)) to \(second.path)."
      )
    }
  }

  private static func tell(_ text: String) {
    WarningLog.write(text, onceFor: text)
  }
}

extension SchemaInference.AmbiguousInverse {
  fileprivate var names: String {
    candidates.map { "\(relationship.destination).\($0.name)" }.joined(separator: " and ")
  }
}

extension SchemaInference.UnpairedArrays.Side {
  fileprivate var path: String { "\(entity).\(name)" }
}
