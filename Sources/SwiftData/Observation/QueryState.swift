import Observation

/// What the copies of a query share: the request, and the results once they are read.
///
/// 1. A query is made, in the scope of a container or in none. Nothing is fetched.
/// 2. The first read looks for the container: that of the scope, else the installed one. A live query follows
///    its main context from there on.
/// 3. Each read looks again. Where the container is another one, another live query takes over.
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

  /// - Parameter section: May throw, which makes the query fail when it is read.
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

  // The models belong to the main actor; the last copy of the query may be released anywhere.
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
        "The query has no model container. Set ModelContainer.installed, or make and read the query in "
          + "withModelContainer(_:operation:).", doing: "fetching for a query",
        entity: Element._$descriptor.entityName)
    }
    return query.error
  }

  var context: ModelContext { (container ?? .empty).mainContext }

  /// - Parameter scope: The container of the scope of who updates.
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
