/// Logs missing rows in a list of members, once per relationship and store.
enum MissingMembersLog {
  static func note(
    _ missing: [PersistentIdentifier], of descriptor: _ModelDescriptor, _ slot: Int,
    storeName: String
  ) {
    let relationship = "\(descriptor.entityName).\(descriptor.properties[slot].name)"
    let entities = Set(missing.map(\.entityName)).sorted().joined(separator: ", ")
    WarningLog.write(
      "The store \(storeName) returned no rows for \(missing.count) of the models in \(relationship) "
        + "(\(entities)), so the list is shorter. Either they were deleted and the store kept the links to them, "
        + "or a fetch whose predicate names identifiers does not return all rows with these identifiers.",
      onceFor: "missing members \(storeName) \(relationship)")
  }
}
