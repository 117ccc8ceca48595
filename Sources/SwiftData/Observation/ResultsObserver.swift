public import Foundation
public import Observation

/// The models that match a request, kept up to date while they are observed.
///
/// ```swift
/// let observer = try ResultsObserver(
///   filterBy: #Predicate<Trip> { $0.name != "" }, sortBy: [SortDescriptor(\.start)],
///   modelContext: context)
/// withObservationTracking {
///   print(observer.results.map(\.name))
/// } onChange: {
///   print("the trips change")
/// }
/// ```
///
/// It follows unsaved changes of its context, saves of other contexts of the container, and commits
/// of other containers and processes to the same files. It fetches again only if a change can
/// matter to its request: a change of the requested models, in a property that predicate, order or
/// sections read, or of models that the predicate reads through relationships. A burst of changes
/// causes one fetch, and none if the changed models are few and their own attributes determine
/// whether they match. Models remain the same instances.
///
/// An observer belongs to the actor of its context, on which its own observers are notified. If it
/// was created without an actor, for example on a separate thread, it is up to date whenever it is
/// read, and notifies observers at the end of a save or of
/// ``ModelContext/processPendingChanges()``.
///
/// It ends when the last reference to it is released.
public final class ResultsObserver<Element, SectionTitle>
where Element: PersistentModel, SectionTitle: Hashable {
  /// The context of the models.
  public final let modelContext: ModelContext

  private let registrar = ObservationRegistrar()
  private let query: LiveQuery<Element>
  private let section: Section?
  private var collection: FetchResultsCollection<Element>?
  private var grouped: SectionedResults<Element, SectionTitle>?

  private struct Section {
    let property: SectionProperty<Element>
    let title: (String) -> SectionTitle
  }

  private init(
    _ descriptor: FetchDescriptor<Element>, _ section: Section?, _ context: ModelContext,
    _ isolation: isolated (any Actor)?
  ) throws {
    modelContext = context
    self.section = section
    query = try LiveQuery(
      descriptor, sectionBy: section?.property, in: context, isolation: isolation
    ).checked()
    query.onPublish { [weak self] change in
      guard let self else { return change() }
      registrar.withMutation(of: self, keyPath: \.results) {
        registrar.withMutation(of: self, keyPath: \.sections) {
          registrar.withMutation(of: self, keyPath: \.fetchError) {
            change()
            collection = nil
            grouped = nil
          }
        }
      }
    }
  }

  // MARK: Results

  /// The models that match, in order.
  ///
  /// A value that is set stays until the next change of the data or of the request.
  public var results: FetchResultsCollection<Element> {
    get {
      query.catchUp()
      registrar.access(self, keyPath: \.results)
      if let collection { return collection }
      let made = FetchResultsCollection(query.elements)
      collection = made
      return made
    }
    set { query.replace(Array(newValue)) }
  }

  /// The models in sections; `nil` without a property for the titles.
  ///
  /// A value that is set stays until the next change of the data or of the request.
  public var sections: SectionedResults<Element, SectionTitle>? {
    get {
      query.catchUp()
      registrar.access(self, keyPath: \.sections)
      guard let section else { return nil }
      if let grouped { return grouped }
      let made = SectionedResults(zip(query.elements, query.titles), title: section.title)
      grouped = made
      return made
    }
    set {
      var models: [Element] = []
      for section in newValue ?? SectionedResults() { models += section }
      query.replace(models)
    }
  }

  /// The error of the last fetch, if it failed: the results are those of the previous fetch.
  ///
  /// Not in Apple's framework.
  public var fetchError: (any Error)? {
    query.catchUp()
    registrar.access(self, keyPath: \.fetchError)
    return query.error
  }

  // MARK: The request

  /// The request, with the order of sections first.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return query.descriptor
  }

  /// Which models are fetched; setting it fetches again.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { change { $0.predicate = newValue } }
  }

  /// The order of the models; setting it fetches again. The order of the sections stays first.
  ///
  /// Sections are in the order of their property in `sortBy`, or ascending if it has none.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { change { $0.sortBy = section?.property.order(before: newValue) ?? newValue } }
  }

  /// The property of the section titles.
  public var sectionBy: PartialKeyPath<Element>? { section?.property.keyPath }

  private func change(_ body: (inout FetchDescriptor<Element>) -> Void) {
    registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { body(&query.descriptor) }
    query.catchUp()
  }

  // MARK: Positions

  /// The model at a position: its index in the results, or the index of its section and its index
  /// there.
  /// - Returns: `nil` if there is no such position.
  public func element(at indexPath: IndexPath) -> Element? {
    func element<C: RandomAccessCollection>(_ index: Int, in models: C) -> Element?
    where C.Element == Element, C.Index == Int {
      models.indices.contains(index) ? models[index] : nil
    }
    switch (indexPath.count, sections) {
    case (1, nil): return element(indexPath[0], in: results)
    case (2, nil): return indexPath[0] == 0 ? element(indexPath[1], in: results) : nil
    case (2, let sections?):
      guard sections.indices.contains(indexPath[0]) else { return nil }
      return element(indexPath[1], in: sections[indexPath[0]])
    default: return nil
    }
  }

  /// The position of a model: the index of its section (0 without sections), then its index there.
  /// - Returns: `nil` for a model that is not among the results.
  public func indexPath(for element: Element) -> IndexPath? {
    guard let sections else {
      return results.firstIndex { $0 === element }.map { [0, $0] }
    }
    for (number, section) in sections.enumerated() {
      if let index = section.firstIndex(where: { $0 === element }) { return [number, index] }
    }
    return nil
  }
}

extension ResultsObserver: Observable {}

extension ResultsObserver: CustomDebugStringConvertible {
  /// The entity, and the number of results.
  public var debugDescription: String {
    let count = sections.map { " in \($0.count) sections" } ?? ""
    return "ResultsObserver(\(Element._$descriptor.entityName), \(results.count) models\(count))"
  }
}

// MARK: - Making

extension ResultsObserver where SectionTitle == Never {
  /// Observes the models of a request.
  ///
  /// - Throws: The error of the first fetch; see ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext, isolation)
  }

  /// Observes the models that match a predicate.
  ///
  /// - Throws: The error of the first fetch; see ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext, isolation)
  }

  /// Observes the models of a request, in a new context.
  ///
  /// - Throws: The error of the first fetch; see ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer), isolation)
  }

  /// Observes the models that match a predicate, in a new context.
  ///
  /// - Throws: The error of the first fetch; see ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil,
      ModelContext(modelContainer), isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  private static func section(_ keyPath: KeyPath<Element, String>) throws -> Section {
    Section(property: try SectionProperty(keyPath), title: { $0 })
  }

  private static func section(_ keyPath: KeyPath<Element, String?>) throws -> Section {
    Section(property: try SectionProperty(keyPath), title: { $0 })
  }

  /// Observes the models of a request, in sections.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, try Self.section(sectionBy), modelContext, isolation)
  }

  /// Observes the models that match a predicate, in sections.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      modelContext, isolation)
  }

  /// Observes the models of a request, in sections; those without a value are in the section titled
  /// "".
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, try Self.section(sectionBy), modelContext, isolation)
  }

  /// Observes the models that match a predicate, in sections; those without a value are in the
  /// section titled "".
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      modelContext, isolation)
  }

  /// Observes the models of a request, in sections, in a new context.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, try Self.section(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes the models that match a predicate, in sections, in a new context.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      ModelContext(modelContainer), isolation)
  }

  /// Observes the models of a request, in sections, in a new context; those without a value are in
  /// the section titled "".
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, try Self.section(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes the models that match a predicate, in sections, in a new context; those without a
  /// value are in the section titled "".
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error
  ///   of the first fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      ModelContext(modelContainer), isolation)
  }
}
