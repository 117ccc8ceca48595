/// What a store is created from: its name, its entities, and other settings of the store.
public protocol DataStoreConfiguration: Hashable {
  /// The type of store that is created from the configuration.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration; unique within a container.
  var name: String { get }

  /// The entities that the store contains; `nil` for those of the container.
  var schema: Schema? { get set }

  /// Checks whether a store can be created from the configuration.
  ///
  /// - Throws: An error that describes the problem; the container's initializer passes it on.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  ///
  /// - Throws: Nothing.
  public func validate() throws {}
}
