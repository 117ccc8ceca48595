import Observation

/// The shared state of the copies of a query: the request, and the results once they are read.
///
/// 1. A query is created, inside or outside the scope of a container. Nothing is fetched.
/// 2. The first read determines the container: that of the scope, else the installed one. From then
///    on a live query follows its main context.
/// 3. Each read determines the container again. If it is another one, a new live query replaces the
///    old.
@MainActor
final class QueryState<Element: PersistentModel> {
  private let request: FetchDescriptor<Element>
  private let section: SectionProperty<Element>?
  private let sectionError: (any Error)?
  private let registrar = ObservationRegistrar()
  private var scope = ModelContainer.scoped
  private var following: Following?
  private var grouped: SectionedResults<Element, String>?

  private struct Following {
    let container: ModelContainer
    let query: LiveQuery<Element>
  }

  /// - Parameter section: If it throws, the query fails when it is read.
  init(_ request: FetchDescriptor<Element>, section: () throws -> SectionProperty<Element>?) {
    self.request = request
    do {
      self.section = try section()
      sectionError = nil
    } catch {
      self.section = nil
      sectionError = error
    }
  }

  // The models belong to the main actor; the last copy of the query may be released on any thread.
  isolated deinit {}

  var elements: [Element] {
    let query = upToDate()
    registrar.access(self, keyPath: \.elements)
    return query?.elements ?? []
  }

  var sections: SectionedResults<Element, String> {
    let query = upToDate()
    registrar.access(self, keyPath: \.elements)
    if let grouped { return grouped }
    guard let query, section != nil else { return SectionedResults() }
    let made = SectionedResults(zip(query.elements, query.titles)) { $0 }
    grouped = made
    return made
  }

  var error: (any Error)? {
    let query = upToDate()
    registrar.access(self, keyPath: \.elements)
    if let sectionError { return sectionError }
    guard let query else {
      return SwiftDataError.missingModelContext.with(
        "The query has no model container. Set ModelContainer.installed, or create and read the query in "
          + "withModelContainer(_:operation:).", doing: "fetching for a query",
        entity: Element._$descriptor.entityName)
    }
    return query.error
  }

  var context: ModelContext { (container ?? .empty).mainContext }

  /// - Parameter scope: The container of the caller's scope.
  func update(in scope: ModelContainer?) {
    if let scope, scope !== self.scope {
      registrar.withMutation(of: self, keyPath: \.elements) { self.scope = scope }
    }
    _ = upToDate()
  }

  private var container: ModelContainer? {
    if scope == nil, following == nil { scope = ModelContainer.scoped }
    return scope ?? ModelContainer.installed
  }

  private func upToDate() -> LiveQuery<Element>? {
    guard let container, sectionError == nil else {
      following = nil
      grouped = nil
      return nil
    }
    if let following, following.container === container {
      following.query.catchUp()
      return following.query
    }
    let query = LiveQuery(
      request, sectionBy: section, in: container.mainContext, isolation: #isolation)
    query.onPublish { [weak self] change in
      guard let self else { return change() }
      registrar.withMutation(of: self, keyPath: \.elements) {
        change()
        grouped = nil
      }
    }
    following = Following(container: container, query: query)
    grouped = nil
    return query
  }
}

extension QueryState: Observable {}
