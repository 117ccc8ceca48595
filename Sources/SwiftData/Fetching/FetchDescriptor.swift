public import Foundation

/// What to fetch: which models, in which order, and how many of them.
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
/// A value: making and changing one runs nothing. A fetch costs one statement, and one for each path to
/// prefetch; without prefetching, each relationship that is read costs a statement for each model.
/// A property that is not stored makes the fetch throw `SwiftDataError.unsupportedSortDescriptor`, or the
/// predicate is evaluated in memory; see <doc:Predicates>.
public struct FetchDescriptor<T> where T: PersistentModel {
  /// Which models to fetch; all of them when there is none.
  public var predicate: Predicate<T>?

  /// The order of the models; the first descriptor decides, the next ones break ties.
  public var sortBy: [SortDescriptor<T>]

  /// The largest number of models to fetch; no limit when `nil`.
  public var fetchLimit: Int?

  /// The number of models to skip at the beginning.
  public var fetchOffset: Int?

  /// Whether unsaved changes of the context count.
  public var includePendingChanges: Bool = true

  /// The properties to read at once; all of them when empty.
  ///
  /// A model has the rest of its row read, in one go, when another property is used or any is changed.
  /// Whole rows are read where a part of the fetch is done in memory, or where a key path names
  /// a property that is not stored.
  public var propertiesToFetch: [PartialKeyPath<T>] = []

  /// The relationships whose models are fetched along, each with one statement.
  ///
  /// A path may lead through several, as in `\.artist?.country`; behind a to-many a step to one member
  /// stands for all of them, as in `\.stops.first?.hotel`.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Describes models that meet a predicate, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// Key paths are immutable, and what a predicate captures is sendable.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor: Equatable {
  /// Whether both fetch the same. Predicates are compared by their expressions and by the
  /// descriptions of the values that they capture.
  public static func == (lhs: FetchDescriptor<T>, rhs: FetchDescriptor<T>) -> Bool {
    lhs.sortBy == rhs.sortBy && lhs.fetchLimit == rhs.fetchLimit
      && lhs.fetchOffset == rhs.fetchOffset
      && lhs.includePendingChanges == rhs.includePendingChanges
      && lhs.propertiesToFetch == rhs.propertiesToFetch
      && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching
      && lhs.predicate?.description == rhs.predicate?.description
  }
}
