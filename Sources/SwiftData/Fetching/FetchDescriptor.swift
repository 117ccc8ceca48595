public import Foundation

/// Which models to fetch, in which order, and how many.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///   predicate: #Predicate { $0.name.hasPrefix("L") },
///   sortBy: [SortDescriptor(\.start)])
/// descriptor.fetchLimit = 10
/// descriptor.relationshipKeyPathsForPrefetching = [\.stops]
/// let trips = try context.fetch(descriptor)
/// ```
///
/// A descriptor is a value: creating or changing one runs no statement. A fetch costs one
/// statement, plus one for each relationship to prefetch. Without prefetching, each relationship
/// that is read costs one statement per model. Conditions and orders on properties that are not
/// stored are evaluated in memory; see <doc:Predicates>.
public struct FetchDescriptor<T> where T: PersistentModel {
  /// Which models to fetch; `nil` fetches all.
  public var predicate: Predicate<T>?

  /// The order of the models. The first descriptor decides; later ones break ties.
  public var sortBy: [SortDescriptor<T>]

  /// The maximum number of models to fetch; `nil`, 0 or less for no limit.
  public var fetchLimit: Int?

  /// The number of matching models to skip before the first result.
  public var fetchOffset: Int?

  /// Whether the fetch takes unsaved changes of the context into account.
  ///
  /// If not, and the context has unsaved changes, conditions and orders that are evaluated in memory
  /// read other instances with the stored values. Their ephemeral properties have the values of the
  /// context's instances. `@Transient` properties, and ephemeral ones of related models, have their
  /// default values.
  public var includePendingChanges: Bool = true

  /// The properties to read with the fetch; empty reads all.
  ///
  /// The rest of a model's row is read, all at once, when another property is read or any property
  /// is changed. Whole rows are read if a part of the fetch is evaluated in memory, if a key
  /// path names a property that is not stored, and from custom stores.
  public var propertiesToFetch: [PartialKeyPath<T>] = []

  /// The relationships whose models are fetched too, with one statement for each relationship.
  ///
  /// A path may follow several relationships, as in `\.artist?.country`. After a to-many
  /// relationship, a step to one member means all members, as in `\.stops.first?.hotel`.
  ///
  /// A path may lead back to the fetched models, as in `\.artist?.albums` for albums. Then the context
  /// keeps the artists, up to 1024 of all such fetches; if one fetch has more, all of them, until the next
  /// fetch with more. A step back through a many-to-many relationship is not prefetched, and neither are
  /// lists of one that is its own inverse where another list holds the model already.
  ///
  /// Fetched models keep what was prefetched for them, also after the end of their context. What the context
  /// keeps for a path that leads back ends with it.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor from a predicate and an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// Safe: key paths are immutable, and the values that a predicate captures are sendable.
extension FetchDescriptor: @unchecked Sendable {}
