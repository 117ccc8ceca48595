extension FetchDescriptor {
  /// The slots that `propertiesToFetch` requests; `nil` if whole rows are read.
  ///
  /// A path into a composite or across a relationship requests the property that it starts with.
  /// Every row contains its identifier. A property that is not stored may need any other property,
  /// so it requests whole rows. Relationships to prefetch are always included.
  package var slotsToFetch: Set<Int>? {
    guard !propertiesToFetch.isEmpty else { return nil }
    let descriptor = T._$descriptor
    var slots: Set<Int> = []
    for keyPath in propertiesToFetch {
      if let slot = descriptor.slot(startOf: keyPath) {
        slots.insert(slot)
      } else if !keyPath.isModelIdentifier {
        return nil
      }
    }
    for keyPath in relationshipKeyPathsForPrefetching {
      if let slot = descriptor.slot(startOf: keyPath) { slots.insert(slot) }
    }
    return slots
  }
}

extension Array {
  /// The opposite of `isEmpty`, which looks up generic types at run time if `Element` is one.
  @inline(__always) var hasElements: Bool { count > 0 }
}
