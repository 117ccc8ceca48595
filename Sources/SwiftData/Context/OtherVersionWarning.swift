/// Warns once for each property whose related models cannot be shown, because it is declared with a
/// class of another version than the schema's.
enum OtherVersionWarning {
  static func note(_ descriptor: _ModelDescriptor, _ link: RelationshipLink) {
    let declared = link.isToMany ? "a list of another version" : "another version"
    WarningLog.write(
      """
      \(descriptor.entityName).\(link.name) is declared with \(declared) of \
      \(link.destination.entityName), so it reads as \(link.isToMany ? "empty" : "nil"). Declare the \
      property with the class that the schema lists. The stored values are unchanged.
      """, onceFor: "other version \(descriptor.type).\(link.name)")
  }
}
