/// What a store is made of: its name, its entities, and whatever it needs beside.
public protocol DataStoreConfiguration: Hashable {
  /// The store that is made of the configuration.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration, different from those beside it in one container.
  var name: String { get }

  /// The entities that the store keeps; those of the container when there are none.
  var schema: Schema? { get set }

  /// Looks for what a store cannot be made of.
  ///
  /// - Throws: What is wrong; the container's initializer passes it on.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  ///
  /// - Throws: Nothing.
  public func validate() throws {}
}
