import Synchronization

/// Reports once for each relationship and store that rows are missing which a list of members names.
enum MissingMembersLog {
  private static let told = Mutex<Set<String>>([])

  static func note(
    _ missing: [PersistentIdentifier], of descriptor: _ModelDescriptor, _ slot: Int,
    storeName: String
  ) {
    let relationship = "\(descriptor.entityName).\(descriptor.properties[slot].name)"
    guard told.withLock({ $0.insert("\(storeName) \(relationship)").inserted }) else { return }
    let entities = Set(missing.map(\.entityName)).sorted().joined(separator: ", ")
    WarningLog.write(
      "The store \(storeName) gave no rows for \(missing.count) of the models that \(relationship) lists "
        + "(\(entities)), so the list is shorter. A store answers a fetch of a class whose predicate names "
        + "identifiers with all of these rows.")
  }
}
