import Foundation

/// The models that match a request, kept up to date; ``Query()`` declares properties over it.
///
/// ```swift
/// @MainActor
/// final class UpcomingTrips {
///   @Query(filter: #Predicate<Trip> { $0.name != "" }, sort: \Trip.start) var trips: [Trip]
/// }
/// ```
///
/// The request can depend on values that the initialiser gets:
///
/// ```swift
/// init(after date: Date) {
///   _trips = Query(filter: #Predicate { $0.start > date }, sort: \.start)
/// }
/// ```
///
/// A query fetches when it is first read, in the main context of its container: that of the scope in
/// which it was made or first read (``withModelContainer(_:operation:)``), else ``ModelContainer/installed``. From there on it
/// follows what ``ResultsObserver`` follows. Reads take part in `withObservationTracking`. Copies share the results.
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
  /// Where a fetch fails they are those of the one before; see ``fetchError``.
  public var wrappedValue: Result { result(state) }

  /// The models in sections; empty in a query without `sectionBy`.
  public var sections: SectionedResults<Element, String> { state.sections }

  /// The error of the last fetch, if it failed.
  ///
  /// `SwiftDataError.missingModelContext` where there is no container, `.unsupportedKeyPath` where sections come from a
  /// property that is not stored, or what ``ModelContext/fetch(_:)`` throws.
  public var fetchError: (any Error)? { state.error }

  /// The main context of the container, which the models belong to.
  ///
  /// Without a container it is a context that has no stores.
  public var modelContext: ModelContext { state.context }

  /// Brings the results up to date, and takes the container of the scope that it is called in.
  ///
  /// A user interface calls it before it reads the query. From another thread than that of the main actor it is done soon.
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
  /// The request of a query that is ordered by one property.
  init<Value: Comparable>(
    _ predicate: Predicate<T>?, by keyPath: KeyPath<T, Value>, _ order: SortOrder
  ) {
    self.init(
      predicate: predicate, sortBy: [SortDescriptor(keyPath.ofProperty, order: order)])
  }

  /// The request of a query that is ordered by one property, which may have no value.
  init<Value: Comparable>(
    _ predicate: Predicate<T>?, by keyPath: KeyPath<T, Value?>, _ order: SortOrder
  ) {
    self.init(
      predicate: predicate, sortBy: [SortDescriptor(keyPath.ofProperty, order: order)])
  }
}
