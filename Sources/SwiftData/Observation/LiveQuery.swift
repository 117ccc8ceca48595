/// The answer of a request, kept up to date.
///
/// `LiveQueryState` decides when to fetch, `QueryInterest` what is worth it; here is what they act on. A read is
/// never behind what its context knows. Used on the actor of its context.
final class LiveQuery<Element: PersistentModel>: FollowingQuery {
  let context: ModelContext
  private(set) var interest: QueryInterest
  private(set) var error: (any Error)?
  private let follower: ContextFollower
  private let section: SectionProperty<Element>?
  private var state = LiveQueryState()
  private var answer = Answer()
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
  init(
    _ descriptor: FetchDescriptor<Element>, sectionBy section: SectionProperty<Element>? = nil,
    in context: ModelContext, isolation: isolated (any Actor)?
  ) {
    var descriptor = descriptor
    if let section { descriptor.sortBy = section.order + descriptor.sortBy }
    self.context = context
    self.descriptor = descriptor
    self.section = section
    follower = ContextFollower.of(context, isolation: isolation)
    interest = LiveQuery.interest(in: descriptor, section, context)
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
      interest = LiveQuery.interest(in: descriptor, section, context)
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
  func replace(_ elements: [Element]) { publish { answer = made(elements) } }

  func handle(_ event: LiveQueryState.Event) {
    for action in state.handle(event) {
      switch action {
      case .wake: follower.wake()
      case .fetch: fetch()
      case .publish, .publishError, .forgetError: break
      }
    }
  }

  private func fetch() {
    let actions: [LiveQueryState.Action]
    var found = Answer()
    var failure: (any Error)?
    do {
      found = made(try context.fetch(descriptor))
      actions = state.handle(.answered(isSame: found.isSame(as: answer)))
    } catch {
      failure = error
      actions = state.handle(.failed)
    }
    for action in actions {
      switch action {
      case .publish:
        version += 1
        publish { answer = found }
      case .publishError: publish { error = failure }
      case .forgetError: if error != nil { publish { error = nil } }
      case .wake: follower.wake()
      case .fetch: break
      }
    }
  }

  private func made(_ elements: [Element]) -> Answer {
    Answer(elements: elements, titles: section.map { elements.map($0.title) } ?? [])
  }

  private static func interest(
    in descriptor: FetchDescriptor<Element>, _ section: SectionProperty<Element>?,
    _ context: ModelContext
  ) -> QueryInterest {
    let core = context.core
    let port = core.coordinator.port(forEntity: Element._$descriptor.entityName)
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: core.editingState)
    return QueryInterest(
      Element._$descriptor, reads: port?.reads(of: request), sections: section?.slot
    ) { descriptor, slot in
      descriptor.link(slot, in: core.coordinator).map { ($0.destination, $0.inverseSlot) }
    }
  }
}
