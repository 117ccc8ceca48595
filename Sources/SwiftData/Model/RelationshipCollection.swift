/// The types that a to-many relationship can have: an array of models, or an optional one.
public protocol RelationshipCollection {
  /// The type of the related models.
  associatedtype PersistentElement: PersistentModel

  /// Creates the collection from models in order; `nil` if the relationship was never set.
  static func _make(_ models: [PersistentElement]?) -> Self
  /// The models in order; `nil` if an optional collection is nil.
  var _models: [PersistentElement]? { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The type of the related models.
  public typealias PersistentElement = Element

  public static func _make(_ models: [Element]?) -> [Element] { models ?? [] }
  public var _models: [Element]? { self }
}

extension Optional: RelationshipCollection
where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The type of the related models.
  public typealias PersistentElement = Wrapped.Element

  public static func _make(_ models: [Wrapped.Element]?) -> Wrapped? {
    (models ?? []) as? Wrapped
  }

  public var _models: [Wrapped.Element]? { map { Array($0) } }
}

extension SwiftDataError {
  /// The failure of a to-many relationship with too few or too many members; `nil` if the number is
  /// valid.
  /// - Parameter maximum: 0 for any number.
  package static func wrongCount(
    of identifier: @autoclosure () -> PersistentIdentifier, property: String, count: Int,
    minimum: Int,
    maximum: Int
  ) -> SwiftDataError? {
    guard count < minimum || (maximum > 0 && count > maximum) else { return nil }
    let identifier = identifier()
    let wanted =
      switch (minimum, maximum) {
      case (let least, 0): "at least \(least)"
      case (0, let most): "at most \(most)"
      case (let least, let most): "\(least) to \(most)"
      }
    return modelValidationFailure.with(
      "The relationship has \(count) models, but must have \(wanted). (\(identifier))",
      entity: identifier.entityName, property: property,
      because: count < minimum
        ? .tooFewMembers(
          entity: identifier.entityName, property: property, minimum: minimum, count: count)
        : .tooManyMembers(
          entity: identifier.entityName, property: property, maximum: maximum, count: count))
  }
}
