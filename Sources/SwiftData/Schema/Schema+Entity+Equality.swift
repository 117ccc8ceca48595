extension Schema.Entity: Hashable {
  /// Compares names, superentities and subentities, properties and constraints.
  public static func == (lhs: Schema.Entity, rhs: Schema.Entity) -> Bool {
    lhs === rhs
      || lhs.name == rhs.name && lhs.superentityName == rhs.superentityName
        && Set(lhs.subentities.map(\.name)) == Set(rhs.subentities.map(\.name))
        && haveEqualProperties(lhs, rhs)
        && Set(lhs.uniquenessConstraints) == Set(rhs.uniquenessConstraints)
        && Set(lhs.indices) == Set(rhs.indices)
  }

  /// Hashes the name.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }

  private static func haveEqualProperties(_ lhs: Schema.Entity, _ rhs: Schema.Entity) -> Bool {
    let (left, right) = (lhs.properties, rhs.properties)
    guard left.count == right.count else { return false }
    return left.allSatisfy { property in
      rhs.property(named: property.name).map { property.isEqual(to: $0) } ?? false
    }
  }
}

extension Schema.Entity: CustomDebugStringConvertible {
  /// The name of the entity and its properties, one per line.
  public final var debugDescription: String {
    let title = "Entity(\(name)\(superentityName.map { ": \($0)" } ?? ""))"
    var lines = storedProperties.map { "  \(String(reflecting: $0))" }
    lines += uniquenessConstraints.map { "  unique: \($0.joined(separator: ", "))" }
    lines += indices.map { "  index: \($0.joined(separator: ", "))" }
    return ([title] + lines).joined(separator: "\n")
  }
}
