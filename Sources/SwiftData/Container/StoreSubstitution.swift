import Synchronization

/// Opens stores of other databases in place of default stores, so that the tests of models and contexts
/// run unchanged on each database. Only tests use it.
package enum StoreSubstitution {
  /// - Returns: The configuration of the other store; `nil` to open the default store.
  package typealias Choice = @Sendable (ModelConfiguration) throws -> (any DataStoreConfiguration)?

  private static let choice = Mutex<Choice?>(nil)

  /// Calls the function for each default store that a container opens from now on.
  package static func install(_ choice: @escaping Choice) {
    self.choice.withLock { $0 = choice }
  }

  static func configuration(
    for configuration: ModelConfiguration
  ) throws -> (any DataStoreConfiguration)? {
    try choice.withLock(\.self)?(configuration)
  }
}
