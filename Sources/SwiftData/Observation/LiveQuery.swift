/// The answer of a request, kept up to date.
///
/// `LiveQueryState` decides when to fetch, `QueryInterest` what is worth it, `AnswerPatch` spares the fetch; here is
/// what they act on. A read is never behind what its context knows. Used on the actor of its context.
final class LiveQuery<Element: PersistentModel>: FollowingQuery {
  let context: ModelContext
  private(set) var interest: QueryInterest
  private(set) var error: (any Error)?
  /// The newest answer and error. Observers that are told of one may change the data and read again, so a
  /// newer one may be published while an older one is: the newest is what is shown in the end.
  private var newest = Answer()
  private var newestError: (any Error)?
  private let follower: ContextFollower
  private let section: SectionProperty<Element>?
  private var state = LiveQueryState()
  private var answer = Answer()
  /// What has changed since the answer.
  private var changed = NamedModels()
  private var haveFreshRows = false
  /// The models that were put in since the last fetch.
  private var patched = NamedModels()
  /// What has happened since an answer was last taken, where somebody wants to know.
  private var journal: AnswerJournal?
  /// Counts the answers that were published.
  private(set) var version = 0
  /// Told around each change of the answer or of the error.
  private var publish: (_ change: () -> Void) -> Void = { $0() }

  private struct Answer {
    var elements: [Element] = []
    /// One for each element, where there are sections.
    var titles: [String] = []

    func isSame(as other: Answer) -> Bool {
      titles == other.titles && elements.count == other.elements.count
        && zip(elements, other.elements).allSatisfy { $0 === $1 }
    }
  }

  /// Fetches. The order of the sections comes before that of the request.
  /// - Parameter tellsOfEdits: Whether an answer with the same models is another one where they were edited, and
  ///   differences can be taken.
  init(
    _ descriptor: FetchDescriptor<Element>, sectionBy section: SectionProperty<Element>? = nil,
    tellsOfEdits: Bool = false, in context: ModelContext, isolation: isolated (any Actor)?
  ) {
    var descriptor = descriptor
    if let section { descriptor.sortBy = section.order + descriptor.sortBy }
    self.context = context
    self.descriptor = descriptor
    self.section = section
    if tellsOfEdits { journal = AnswerJournal() }
    follower = ContextFollower.of(context, isolation: isolation)
    interest = LiveQuery.interest(in: descriptor, section, wantsAll: tellsOfEdits, context)
    follower.add(self)
    handle(.read)
  }

  /// - Throws: The error of the last fetch.
  func checked() throws -> LiveQuery {
    if let error { throw error }
    return self
  }

  /// - Parameter publish: Has to run the change that it is given.
  func onPublish(_ publish: @escaping (_ change: () -> Void) -> Void) { self.publish = publish }

  /// - Parameter signal: Called on any thread when the answer may be another.
  func addSignal(_ signal: @escaping @Sendable () -> Void) -> Signals.Registration {
    follower.signals.add(signal)
  }

  /// What is asked for; the next read answers another request.
  var descriptor: FetchDescriptor<Element> {
    didSet {
      interest = LiveQuery.interest(in: descriptor, section, wantsAll: journal != nil, context)
      handle(.replaced)
    }
  }

  /// The models that match now.
  var elements: [Element] {
    catchUp()
    return answer.elements
  }

  /// The titles of their sections, one for each model.
  var titles: [String] {
    catchUp()
    return answer.titles
  }

  func catchUp() {
    follower.catchUp()
    handle(.read)
  }

  /// Shows other models until the next change.
  func replace(_ elements: [Element]) {
    handle(.overridden)
    show(Answer(elements: elements, titles: titles(of: elements)))
  }

  func handle(_ concern: QueryInterest.Concern) {
    journal?.edited.formUnion(concern.models)
    guard concern.isAboutModels, AnswerPatch.isPossible(descriptor) else {
      return handle(.changed(areNamed: false))
    }
    changed.formUnion(concern.models)
    haveFreshRows = haveFreshRows || concern.haveFreshRows
    handle(.changed(areNamed: !changed.areIncomplete))
  }

  /// The answer, and what has happened since the one that was taken before it. It may be behind the data.
  func take() -> (elements: [Element], journal: AnswerJournal) {
    defer { journal = journal.map { _ in AnswerJournal() } }
    return (newest.elements, journal ?? AnswerJournal())
  }

  func handle(_ event: LiveQueryState.Event) {
    for action in state.handle(event) {
      switch action {
      case .wake: follower.wake()
      case .patch: answer(by: patch)
      case .fetch: answer(by: fetch)
      case .publish, .publishError, .forgetError: break
      }
    }
  }

  /// - Parameter read: Returns `nil` where it cannot answer.
  private func answer(by read: () throws -> (answer: Answer, isSame: Bool)?) {
    var actions: [LiveQueryState.Action]
    var found = Answer()
    var failure: (any Error)?
    do {
      guard let new = try ObservationProbe.withoutTracking(read) else {
        return handle(.notEnough)
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
      case .wake: follower.wake()
      case .fetch, .patch: break
      }
    }
  }

  private func show(_ answer: Answer) {
    newest = answer
    publish { self.answer = newest }
  }

  private func show(_ error: (any Error)?) {
    newestError = error
    publish { self.error = newestError }
  }

  private func fetch() throws -> (answer: Answer, isSame: Bool)? {
    forgetChanges()
    patched = NamedModels()
    let elements = try context.fetch(descriptor)
    let found = Answer(elements: elements, titles: titles(of: elements))
    let isSame = found.isSame(as: newest)
    if !isSame { journal?.noteFetch() }
    return (found, isSame && journal?.concerns(elements) != true)
  }

  private func forgetChanges() {
    changed = NamedModels()
    haveFreshRows = false
  }

  /// Rows that others have changed were behind what a fetch had read of them. So models that were put in since then
  /// may have been compared with values that are no more, and look for their places again.
  private func patch() throws -> (answer: Answer, isSame: Bool)? {
    if haveFreshRows { changed.formUnion(patched) }
    let models = changed
    forgetChanges()
    let patch = AnswerPatch(core: context.core, descriptor: descriptor)
    guard let new = try patch.applied(to: newest.elements, models) else { return nil }
    for place in new.put { patched.insert(new.elements[place]._$storage) }
    let found = Answer(elements: new.elements, titles: titles(of: new))
    // The models that stayed are the same.
    let isSame =
      new.taken == new.put && found.titles == newest.titles
      && new.put.allSatisfy { found.elements[$0] === newest.elements[$0] }
    let isEdited = journal?.concerns(new.put.lazy.map { new.elements[$0] }) == true
    if !isSame || isEdited { journal?.note(taken: new.taken, put: new.put) }
    return (found, isSame && !isEdited)
  }

  /// Only those of models that were put in are made.
  private func titles(of new: AnswerPatch<Element>.Result) -> [String] {
    guard let section else { return [] }
    let taken = Set(new.taken)
    var put = new.put[...]
    var kept = newest.titles.indices.lazy.filter { !taken.contains($0) }.makeIterator()
    return new.elements.indices.map { place in
      if put.first != place, let old = kept.next() { return newest.titles[old] }
      put = put.dropFirst()
      return section.title(new.elements[place])
    }
  }

  private func titles(of elements: [Element]) -> [String] {
    section.map { elements.map($0.title) } ?? []
  }

  private static func interest(
    in descriptor: FetchDescriptor<Element>, _ section: SectionProperty<Element>?,
    wantsAll: Bool, _ context: ModelContext
  ) -> QueryInterest {
    let core = context.core
    let port = core.coordinator.port(forEntity: Element._$descriptor.entityName)
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
    return QueryInterest(
      Element._$descriptor, reads: port?.reads(of: request), sections: section?.slot,
      wantsAll: wantsAll
    ) { descriptor, slot in
      descriptor.link(slot, in: core.coordinator).map { ($0.destination, $0.inverseSlot) }
    }
  }
}
