import Foundation

/// The models that match a request, kept up to date; ``Query()`` declares properties with it.
///
/// ```swift
/// @MainActor
/// final class UpcomingTrips {
///   @Query(filter: #Predicate<Trip> { $0.name != "" }, sort: \Trip.start) var trips: [Trip]
/// }
/// ```
///
/// The request can depend on arguments of an initialiser:
///
/// ```swift
/// init(after date: Date) {
///   _trips = Query(filter: #Predicate { $0.start > date }, sort: \.start)
/// }
/// ```
///
/// A query fetches when it is first read, in the main context of its container: that of the scope
/// in which the query was created or first read (``withModelContainer(_:operation:)``), else
/// ``ModelContainer/installed``. After that it follows the same changes as ``ResultsObserver``.
/// Reads take part in `withObservationTracking`. Copies share the results.
///
/// See <doc:UserInterfaces>.
@MainActor @preconcurrency
public struct Query<Element, Result>: Sendable where Element: PersistentModel {
  private let state: QueryState<Element>
  private let result: @MainActor @Sendable (QueryState<Element>) -> Result

  init(
    _ descriptor: FetchDescriptor<Element>,
    section: () throws -> SectionProperty<Element>? = { nil },
    result: @escaping @MainActor @Sendable (QueryState<Element>) -> Result
  ) {
    state = QueryState(descriptor, section: section)
    self.result = result
  }

  /// The models that match now.
  ///
  /// If a fetch fails, they are those of the previous one; see ``fetchError``.
  public var wrappedValue: Result { result(state) }

  /// The models in sections; empty in a query without `sectionBy`.
  public var sections: SectionedResults<Element, String> { state.sections }

  /// The error of the last fetch, if it failed.
  ///
  /// `SwiftDataError.missingModelContext` if there is no container, `.unsupportedKeyPath` if
  /// sections come from a property that is not stored, or an error of ``ModelContext/fetch(_:)``.
  public var fetchError: (any Error)? { state.error }

  /// The main context of the container, which the models belong to.
  ///
  /// Without a container it is a context without stores.
  public var modelContext: ModelContext { state.context }

  /// Updates the results, and uses the container of the scope in which it is called.
  ///
  /// A user interface calls it before it reads the query. On another thread than the main actor's,
  /// the update happens later.
  public nonisolated func update() {
    let scope = ModelContainer.scoped
    guard case .mainActor = ContextExecutor.current else {
      Task { @MainActor in state.update(in: scope) }
      return
    }
    MainActor.assumeIsolated { state.update(in: scope) }
  }
}

extension FetchDescriptor {
  /// The request of a query that is sorted by one property.
  init<Value: Comparable>(
    _ predicate: Predicate<T>?, by keyPath: KeyPath<T, Value>, _ order: SortOrder
  ) {
    self.init(
      predicate: predicate, sortBy: [SortDescriptor(keyPath.ofProperty, order: order)])
  }

  /// The request of a query that is sorted by one optional property.
  init<Value: Comparable>(
    _ predicate: Predicate<T>?, by keyPath: KeyPath<T, Value?>, _ order: SortOrder
  ) {
    self.init(
      predicate: predicate, sortBy: [SortDescriptor(keyPath.ofProperty, order: order)])
  }
}
