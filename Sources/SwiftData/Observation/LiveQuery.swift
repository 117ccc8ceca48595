/// The results of a request, kept up to date.
///
/// `LiveQueryState` decides when to fetch, `QueryInterest` which changes matter, `ResultsPatch`
/// avoids fetches; this class carries out their decisions. A read always includes what its context
/// knows. Used on the actor of its context.
final class LiveQuery<Element: PersistentModel>: ObservingQuery {
  let context: ModelContext
  private(set) var interest: QueryInterest
  private(set) var error: (any Error)?
  /// The newest results and error. Observers that are notified of one may change the data and read
  /// again, so newer results may be published while older ones are: the newest are shown in the
  /// end.
  private var newest = Answer()
  private var newestError: (any Error)?
  private let dispatcher: LiveQueryDispatcher
  private let section: SectionProperty<Element>?
  private var state = LiveQueryState()
  private var answer = Answer()
  /// What has changed since the results were read.
  private var changed = ChangedModelSet()
  private var haveNewRows = false
  /// The models that patches inserted since the last fetch.
  private var patched = ChangedModelSet()
  /// The changes since the results were last taken, if differences are needed.
  private var journal: ResultsChangeLog?
  /// The number of published results.
  private(set) var version = 0
  /// The number of times that observers were notified.
  private var notifications = 0
  /// Whether observers must be notified again; see `catchUp`.
  private var isNotifiedAgain = false
  /// Called around each change of the results or of the error.
  private var publish: (_ change: () -> Void) -> Void = { $0() }

  private struct Answer {
    var elements: [Element] = []
    /// One for each element, if there are sections.
    var titles: [String] = []

    func isSame(as other: Answer) -> Bool {
      titles == other.titles && elements.count == other.elements.count
        && zip(elements, other.elements).allSatisfy { $0 === $1 }
    }
  }

  /// Fetches the results. The order of the sections comes before that of the request.
  /// - Parameter reportsEdits: Whether results with the same models are different if these were
  ///   edited, and differences can be taken.
  init(
    _ descriptor: FetchDescriptor<Element>, sectionBy section: SectionProperty<Element>? = nil,
    reportsEdits: Bool = false, in context: ModelContext, isolation: isolated (any Actor)?
  ) {
    var descriptor = descriptor
    if let section { descriptor.sortBy = section.order(before: descriptor.sortBy) }
    self.context = context
    self.descriptor = descriptor
    self.section = section
    if reportsEdits { journal = ResultsChangeLog() }
    dispatcher = LiveQueryDispatcher.of(context, isolation: isolation)
    interest = LiveQuery.interest(in: descriptor, section, wantsAllChanges: reportsEdits, context)
    dispatcher.add(self)
    handle(.read)
  }

  /// - Throws: The error of the last fetch.
  func checked() throws -> LiveQuery {
    if let error { throw error }
    return self
  }

  /// - Parameter publish: Must run the change that it gets.
  func onPublish(_ publish: @escaping (_ change: () -> Void) -> Void) { self.publish = publish }

  /// - Parameter signal: Called on any thread when the results may have changed.
  func addSignal(_ signal: @escaping @Sendable () -> Void) -> Signals.Registration {
    dispatcher.signals.add(signal)
  }

  /// The request; after it is set, the next read returns the results of the new one.
  var descriptor: FetchDescriptor<Element> {
    didSet {
      interest = LiveQuery.interest(
        in: descriptor, section, wantsAllChanges: journal != nil, context)
      handle(.replaced)
    }
  }

  /// The models that match now.
  var elements: [Element] {
    catchUp()
    return answer.elements
  }

  /// The section titles, one for each model.
  var titles: [String] {
    catchUp()
    return answer.titles
  }

  /// Updates the results before a read.
  ///
  /// An observer that reads in a scope of tracking is registered at the end of the scope. What it has read
  /// there may change here, so it is notified later.
  func catchUp() {
    let notifications = notifications
    dispatcher.catchUp()
    handle(.read)
    if notifications != self.notifications, ObservationProbe.isInScope() { notifyAgain() }
  }

  func notifyAgain() {
    isNotifiedAgain = true
    dispatcher.wake()
  }

  /// Shows other models until the next change.
  func replace(_ elements: [Element]) {
    handle(.overridden)
    show(Answer(elements: elements, titles: titles(of: elements)))
  }

  func handle(_ concern: QueryInterest.Concern) {
    journal?.edited.formUnion(concern.models)
    guard concern.isAboutModels, ResultsPatch.isPossible(descriptor) else {
      return handle(.changed(areNamed: false))
    }
    changed.formUnion(concern.models)
    haveNewRows = haveNewRows || concern.haveNewRows
    handle(.changed(areNamed: !changed.areIncomplete))
  }

  /// The results, and the changes since they were last taken. They may be out of date.
  func take() -> (elements: [Element], journal: ResultsChangeLog) {
    defer { journal = journal.map { _ in ResultsChangeLog() } }
    return (newest.elements, journal ?? ResultsChangeLog())
  }

  func handle(_ event: LiveQueryState.Event) {
    let isRepeated = event == .woken && isNotifiedAgain
    if isRepeated { isNotifiedAgain = false }
    let notifications = notifications
    defer { if isRepeated, notifications == self.notifications { publish {} } }
    for action in state.handle(event) {
      switch action {
      case .wake: dispatcher.wake()
      case .patch: answer(by: patch)
      case .fetch: answer(by: fetch)
      case .publish, .publishError, .forgetError: break
      }
    }
  }

  /// - Parameter read: Returns `nil` if it cannot give results.
  private func answer(by read: () throws -> (answer: Answer, isSame: Bool)?) {
    var actions: [LiveQueryState.Action]
    var found = Answer()
    var failure: (any Error)?
    do {
      guard let new = try ObservationProbe.withoutTracking(read) else {
        return handle(.patchInsufficient)
      }
      found = new.answer
      actions = state.handle(.answered(isSame: new.isSame))
    } catch {
      failure = error
      actions = state.handle(.failed)
    }
    for action in actions {
      switch action {
      case .publish:
        version += 1
        show(found)
      case .publishError: show(failure)
      case .forgetError: if newestError != nil { show(nil) }
      case .wake: dispatcher.wake()
      case .fetch, .patch: break
      }
    }
  }

  private func show(_ answer: Answer) {
    newest = answer
    notifications += 1
    publish { self.answer = newest }
  }

  private func show(_ error: (any Error)?) {
    newestError = error
    notifications += 1
    publish { self.error = newestError }
  }

  private func fetch() throws -> (answer: Answer, isSame: Bool)? {
    forgetChanges()
    patched = ChangedModelSet()
    let elements = try context.fetch(descriptor)
    let found = Answer(elements: elements, titles: titles(of: elements))
    let isSame = found.isSame(as: newest)
    if !isSame { journal?.noteFetch() }
    return (found, isSame && journal?.concerns(elements) != true)
  }

  private func forgetChanges() {
    changed = ChangedModelSet()
    haveNewRows = false
  }

  /// Models that were inserted since the last fetch may have been compared with outdated values, if
  /// other writers have changed rows that the fetch had read. So they are inserted again.
  private func patch() throws -> (answer: Answer, isSame: Bool)? {
    if haveNewRows { changed.formUnion(patched) }
    let models = changed
    forgetChanges()
    let patch = ResultsPatch(
      descriptor: descriptor, context: context.core.identity,
      identities: context.core.identities, fetch: context.fetch)
    guard let new = try patch.applied(to: newest.elements, models) else { return nil }
    for index in new.put { patched.insert(new.elements[index]._$storage) }
    let found = Answer(elements: new.elements, titles: titles(of: new))
    // The models that stayed are the same.
    let isSame =
      new.taken == new.put && found.titles == newest.titles
      && new.put.allSatisfy { found.elements[$0] === newest.elements[$0] }
    let isEdited = journal?.concerns(new.put.lazy.map { new.elements[$0] }) == true
    if !isSame || isEdited { journal?.note(taken: new.taken, put: new.put) }
    return (found, isSame && !isEdited)
  }

  /// Only the titles of inserted models are computed.
  private func titles(of new: ResultsPatch<Element>.Result) -> [String] {
    guard let section else { return [] }
    let taken = Set(new.taken)
    var put = new.put[...]
    var kept = newest.titles.indices.lazy.filter { !taken.contains($0) }.makeIterator()
    return new.elements.indices.map { index in
      if put.first != index, let old = kept.next() { return newest.titles[old] }
      put = put.dropFirst()
      return section.title(new.elements[index])
    }
  }

  private func titles(of elements: [Element]) -> [String] {
    section.map { elements.map($0.title) } ?? []
  }

  private static func interest(
    in descriptor: FetchDescriptor<Element>, _ section: SectionProperty<Element>?,
    wantsAllChanges: Bool, _ context: ModelContext
  ) -> QueryInterest {
    let core = context.core
    let port = core.coordinator.port(forEntity: Element._$descriptor.entityName)
    let request = DataStoreFetchRequest(
      descriptor: descriptor, editingState: core.stores.editingState)
    return QueryInterest(
      Element._$descriptor, reads: port?.reads(of: request), sections: section?.slot,
      includesPendingChanges: descriptor.includePendingChanges, wantsAllChanges: wantsAllChanges
    ) { descriptor, slot in
      descriptor.link(slot, in: core.coordinator).map { ($0.destination, $0.inverseSlot) }
    }
  }
}
