extension FetchDescriptor {
  /// The slots that `propertiesToFetch` asks for; `nil` when whole rows are to be read.
  ///
  /// A path into a composite or behind a relationship asks for the property that it begins with. An
  /// identifier is in every row. A property that is not stored may need any other one, so it asks
  /// for whole rows. Relationships to prefetch are read in any case.
  package var slotsToFetch: Set<Int>? {
    guard !propertiesToFetch.isEmpty else { return nil }
    let descriptor = T._$descriptor
    var slots: Set<Int> = []
    for keyPath in propertiesToFetch {
      if let slot = descriptor.slot(startOf: keyPath) {
        slots.insert(slot)
      } else if type(of: keyPath).valueType != PersistentIdentifier.self {
        return nil
      }
    }
    for keyPath in relationshipKeyPathsForPrefetching {
      if let slot = descriptor.slot(startOf: keyPath) { slots.insert(slot) }
    }
    return slots
  }
}
