/// A type that a property with `@Query` can have.
///
/// `@Query` determines the class of the models from it.
public protocol _QueryResult {
  /// The class of the models.
  associatedtype _QueriedModel: PersistentModel
}

extension Array: _QueryResult where Element: PersistentModel {
  /// The class of the models.
  public typealias _QueriedModel = Element
}

extension SectionedResults: _QueryResult where SectionTitle == String {
  /// The class of the models.
  public typealias _QueriedModel = Element
}
