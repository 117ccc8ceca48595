extension SwiftDataError {
  /// The failure of a to-many relationship with too few or too many members; `nil` if the number is
  /// valid.
  /// - Parameter maximum: 0 for any number.
  static func wrongCount(
    of identifier: PersistentIdentifier, property: String, count: Int, minimum: Int, maximum: Int
  ) -> SwiftDataError? {
    guard count < minimum || (maximum > 0 && count > maximum) else { return nil }
    let wanted =
      switch (minimum, maximum) {
      case (let least, 0): "at least \(least)"
      case (0, let most): "at most \(most)"
      case (let least, let most): "\(least) to \(most)"
      }
    return modelValidationFailure.with(
      "The relationship has \(count) models, but must have \(wanted). (\(identifier))",
      entity: identifier.entityName, property: property)
  }
}
