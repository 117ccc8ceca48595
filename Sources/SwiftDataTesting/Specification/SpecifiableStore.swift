public import Foundation
public import SwiftData

/// A configuration whose stores can be run against the ``StoreSpecification``.
public protocol SpecifiableStore: DataStoreConfiguration, SendableMetatype {
  /// Makes the configuration of a store for one rule.
  ///
  /// Two configurations with the same setup open the same store, two with different names do not
  /// share any model.
  init(specification setup: SpecificationSetup)

  /// What the store declares; ``StoreSpecification/Level/standard`` by default.
  static var levels: Set<StoreSpecification.Level> { get }
}

extension SpecifiableStore {
  /// What a store can do that keeps snapshots and leaves the rest to the context.
  public static var levels: Set<StoreSpecification.Level> { StoreSpecification.Level.standard }
}

/// Where and with which models a rule opens its store.
public struct SpecificationSetup: Sendable {
  /// A name that no other rule uses.
  public let name: String

  /// The models of the rule. The container gives them to the configuration too.
  public let schema: Schema

  /// A folder that is empty at the beginning of the rule and deleted at its end.
  public let folder: URL
}
