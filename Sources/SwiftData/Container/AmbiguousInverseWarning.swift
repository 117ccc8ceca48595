import Synchronization

/// Warns once for each relationship that has no inverse because several relationships could be it.
enum AmbiguousInverseWarning {
  private static let told = Mutex<Set<String>>([])

  static func note(_ schema: Schema) {
    for found in SchemaInference.ambiguousInverses(in: schema.entities) {
      let name = "\(found.entity).\(found.relationship.name)"
      guard told.withLock({ $0.insert("\(name) \(found.names)").inserted }) else { continue }
      WarningLog.write(
        "\(name) has no inverse, because there are several candidates: \(found.names). Setting "
          + "one side does not set the other. Add @Relationship(inverse:) with the key path of one of "
          + "them.")
    }
  }
}

extension SchemaInference.AmbiguousInverse {
  fileprivate var names: String {
    candidates.map { "\(relationship.destination).\($0.name)" }.joined(separator: " and ")
  }
}
