/// The parts of composites that may be nil, because descriptions call columns of enums and of optional
/// values optional anyway.
extension _ModelDescriptor {
  /// The parts with one column that may themselves be nil, of the properties that the class itself
  /// declares: `Trip.place.zip`.
  package var optionalParts: [String] {
    properties.dropFirst(superclass?._$descriptor.slotCount ?? 0).flatMap { property -> [String] in
      guard case .attribute(.composite(let leaves)) = property.form else { return [] }
      return leaves.filter { $0.optionalDepth == $0.path.count }.map {
        ([entityName, property.name] + $0.path).joined(separator: ".")
      }
    }
  }
}
