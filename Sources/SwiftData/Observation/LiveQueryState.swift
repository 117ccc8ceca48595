/// The life of a query that follows the data: a pure state machine, events in, actions out.
///
/// | state    | event                       | next     | actions                                     |
/// |----------|-----------------------------|----------|---------------------------------------------|
/// | current  | named models have changed   | touched  | wake                                        |
/// | current  | others have changed         | stale    | wake                                        |
/// | touched  | named models have changed   | touched  |                                             |
/// | touched  | others have changed         | stale    |                                             |
/// | detached | any have changed            | stale    | wake                                        |
/// | stale    | any have changed            | stale    |                                             |
/// | reading  | any have changed            | outrun   |                                             |
/// | touched  | read, woken                 | reading  | patch the answer                            |
/// | stale    | read, woken                 | reading  | fetch                                       |
/// | reading  | the patch is not enough     | reading  | fetch                                       |
/// | reading  | the answer is the same      | current  | forget the error                            |
/// | reading  | the answer is another       | current  | publish it, forget the error                |
/// | reading  | the fetch failed            | detached | publish the error, keep the last answer     |
/// | outrun   | the patch is not enough     | outrun   | fetch                                       |
/// | outrun   | any end of the fetch        | stale    | the same, then wake                         |
/// | any      | other models were shown     | detached |                                             |
/// | any      | the request was replaced    | stale    | wake, unless it was woken already           |
///
/// A change that does not matter is no event, and what is not in the table changes nothing. `wake` asks for
/// `woken` soon, on the actor of the query; a burst of changes asks once. What is shown while `detached` is not
/// the answer to the request, so it cannot be patched.
package struct LiveQueryState: Equatable {
  package enum Phase: Equatable { case current, touched, stale, reading, outrun, detached }

  package enum Event: Equatable {
    case changed(areNamed: Bool)
    case read, woken, replaced, overridden
    case notEnough
    case answered(isSame: Bool)
    case failed
  }

  package enum Action: Equatable { case wake, patch, fetch, publish, publishError, forgetError }

  package private(set) var phase = Phase.stale

  package init() {}

  package mutating func handle(_ event: Event) -> [Action] {
    switch (phase, event) {
    case (.current, .changed(let areNamed)):
      phase = areNamed ? .touched : .stale
      return [.wake]
    case (.touched, .changed(let areNamed)):
      if !areNamed { phase = .stale }
      return []
    case (.detached, .changed), (.detached, .replaced), (.current, .replaced):
      phase = .stale
      return [.wake]
    case (.touched, .replaced):
      phase = .stale
      return []
    case (.reading, .changed), (.reading, .replaced):
      phase = .outrun
      return []
    case (.touched, .read), (.touched, .woken):
      phase = .reading
      return [.patch]
    case (.stale, .read), (.stale, .woken):
      phase = .reading
      return [.fetch]
    case (.reading, .notEnough), (.outrun, .notEnough): return [.fetch]
    case (.reading, .answered(let isSame)):
      phase = .current
      return LiveQueryState.actions(isSame: isSame)
    case (.outrun, .answered(let isSame)):
      phase = .stale
      return LiveQueryState.actions(isSame: isSame) + [.wake]
    case (.reading, .failed):
      phase = .detached
      return [.publishError]
    case (.outrun, .failed):
      phase = .stale
      return [.publishError, .wake]
    case (_, .overridden):
      phase = .detached
      return []
    // An observer that is told of the answer may read it meanwhile.
    case (.reading, .read), (.reading, .woken), (.outrun, .read), (.outrun, .woken): return []
    case (.current, .read), (.current, .woken), (.detached, .read), (.detached, .woken): return []
    case (.stale, .changed), (.stale, .replaced), (.outrun, .changed), (.outrun, .replaced):
      return []
    // Nothing was asked.
    case (.current, _), (.touched, _), (.stale, _), (.detached, _): return []
    }
  }

  private static func actions(isSame: Bool) -> [Action] {
    isSame ? [.forgetError] : [.publish, .forgetError]
  }
}
