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
/// It follows unsaved changes of its context, saves of other contexts of the container, and commits of other
/// containers and processes to the same files. It fetches again only when a change can matter to its request:
/// one to the models that are asked for, in a property that predicate, order or sections read, or to models
/// that the predicate reaches over relationships. A burst of changes is one fetch, and none where the models that
/// changed are few and their own attributes tell whether they match. Models stay the instances that they are.
///
/// An observer belongs to the actor of its context, on which observers of it are told. Where it was made on none,
/// as on a thread of one's own, it is up to date whenever it is read, and tells of changes at the end of a save or of
/// ``ModelContext/processPendingChanges()``.
///
/// It ends with the last reference to it.
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

  /// The models in sections; `nil` without a property that titles come from.
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

  /// The error of the last fetch, if it failed: the results are those of the one before.
  ///
  /// Not in Apple's framework.
  public var fetchError: (any Error)? {
    query.catchUp()
    registrar.access(self, keyPath: \.fetchError)
    return query.error
  }

  // MARK: The request

  /// What is fetched, with the order of sections first.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return query.descriptor
  }

  /// Which models; setting it fetches again.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { change { $0.predicate = newValue } }
  }

  /// In which order; setting it fetches again. The order of sections stays first.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { change { $0.sortBy = (section?.property.order ?? []) + newValue } }
  }

  /// The property that the titles of sections come from.
  public var sectionBy: PartialKeyPath<Element>? { section?.property.keyPath }

  private func change(_ body: (inout FetchDescriptor<Element>) -> Void) {
    registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { body(&query.descriptor) }
    query.catchUp()
  }

  // MARK: Positions

  /// The model at a position: its place in the results, or the places of its section and of itself there.
  /// - Returns: `nil` for a position that there is not.
  public func element(at indexPath: IndexPath) -> Element? {
    func element<C: RandomAccessCollection>(_ place: Int, in models: C) -> Element?
    where C.Element == Element, C.Index == Int {
      models.indices.contains(place) ? models[place] : nil
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

  /// The position of a model: section, then place in it; the only section is 0 where there are none.
  /// - Returns: `nil` for a model that is not among the results.
  public func indexPath(for element: Element) -> IndexPath? {
    guard let sections else {
      return results.firstIndex { $0 === element }.map { [0, $0] }
    }
    for (place, section) in sections.enumerated() {
      if let index = section.firstIndex(where: { $0 === element }) { return [place, index] }
    }
    return nil
  }
}

extension ResultsObserver: Observable {}

extension ResultsObserver: CustomDebugStringConvertible {
  /// What is observed, and how much was found.
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

  /// Observes models that meet a predicate.
  ///
  /// - Throws: The error of the first fetch; see ``ModelContext/fetch(_:)``.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext, isolation)
  }

  /// Observes the models of a request in a context of their own.
  ///
  /// - Throws: The error of the first fetch; see ``ModelContext/fetch(_:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer), isolation)
  }

  /// Observes models that meet a predicate in a context of their own.
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

  /// Observes the models of a request in sections.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, try Self.section(sectionBy), modelContext, isolation)
  }

  /// Observes models that meet a predicate in sections.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      modelContext, isolation)
  }

  /// Observes the models of a request in sections; those without a value are in the one without title.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, try Self.section(sectionBy), modelContext, isolation)
  }

  /// Observes models that meet a predicate in sections; those without a value are in the one without title.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      modelContext, isolation)
  }

  /// Observes the models of a request in sections, in a context of their own.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, try Self.section(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes models that meet a predicate in sections, in a context of their own.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), try Self.section(sectionBy),
      ModelContext(modelContainer), isolation)
  }

  /// Observes the models of a request in sections, in a context of their own; those without a value are in the
  /// section without title.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, try Self.section(sectionBy), ModelContext(modelContainer), isolation)
  }

  /// Observes models that meet a predicate in sections, in a context of their own; those without a value are in
  /// the section without title.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored, or the error of the first
  ///   fetch.
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
