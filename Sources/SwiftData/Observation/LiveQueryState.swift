/// The life of a query that follows the data: a pure state machine, events in, actions out.
///
/// | state   | event                    | next    | actions                                        |
/// |---------|--------------------------|---------|------------------------------------------------|
/// | current | a change that matters    | stale   | wake                                           |
/// | current | read, woken              | current |                                                |
/// | stale   | a change that matters    | stale   |                                                |
/// | stale   | read, woken              | reading | fetch                                          |
/// | reading | a change that matters    | outrun  |                                                |
/// | reading | the answer is the same   | current | forget the error                               |
/// | reading | the answer is another    | current | publish it, forget the error                   |
/// | reading | the fetch failed         | current | publish the error, keep the last answer        |
/// | outrun  | any end of the fetch     | stale   | the same, then wake                            |
/// | any     | the request was replaced | stale   | wake, unless it is known to be stale           |
///
/// A change that does not matter is no event. `wake` asks for `woken` soon, on the actor of the query; a burst
/// of changes asks once.
package struct LiveQueryState: Equatable {
  package enum Phase: Equatable { case current, stale, reading, outrun }

  package enum Event: Equatable {
    case changed, read, woken, replaced
    case answered(isSame: Bool)
    case failed
  }

  package enum Action: Equatable { case wake, fetch, publish, publishError, forgetError }

  package private(set) var phase = Phase.stale

  package init() {}

  package mutating func handle(_ event: Event) -> [Action] {
    switch (phase, event) {
    case (.current, .changed), (.current, .replaced):
      phase = .stale
      return [.wake]
    case (.current, .read), (.current, .woken): return []
    case (.stale, .changed), (.stale, .replaced): return []
    case (.stale, .read), (.stale, .woken):
      phase = .reading
      return [.fetch]
    case (.reading, .changed), (.reading, .replaced), (.outrun, .changed), (.outrun, .replaced):
      phase = .outrun
      return []
    // An observer that is told of the answer may read it meanwhile.
    case (.reading, .read), (.reading, .woken), (.outrun, .read), (.outrun, .woken): return []
    case (.reading, .answered(let isSame)):
      phase = .current
      return LiveQueryState.actions(isSame: isSame)
    case (.outrun, .answered(let isSame)):
      phase = .stale
      return LiveQueryState.actions(isSame: isSame) + [.wake]
    case (.reading, .failed):
      phase = .current
      return [.publishError]
    case (.outrun, .failed):
      phase = .stale
      return [.publishError, .wake]
    // Nothing was asked.
    case (.current, .answered), (.current, .failed), (.stale, .answered), (.stale, .failed):
      return []
    }
  }

  private static func actions(isSame: Bool) -> [Action] {
    isSame ? [.forgetError] : [.publish, .forgetError]
  }
}
