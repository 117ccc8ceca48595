/// The states of a query that follows the data: a pure state machine, events in, actions out.
///
/// | state    | event                       | next     | actions                                  |
/// |----------|-----------------------------|----------|------------------------------------------|
/// | current  | named models have changed   | touched  | wake                                     |
/// | current  | unnamed models have changed | stale    | wake                                     |
/// | touched  | named models have changed   | touched  |                                          |
/// | touched  | unnamed models have changed | stale    |                                          |
/// | detached | any have changed            | stale    | wake                                     |
/// | stale    | any have changed            | stale    |                                          |
/// | reading  | any have changed, replaced  | outrun   |                                          |
/// | touched  | read, woken                 | reading  | patch the results                        |
/// | stale    | read, woken                 | reading  | fetch                                    |
/// | reading  | the patch is not sufficient | reading  | fetch                                    |
/// | reading  | the results are the same    | current  | clear the error                          |
/// | reading  | the results are different   | current  | publish them, clear the error            |
/// | reading  | the fetch failed            | detached | publish the error, keep the last results |
/// | outrun   | the patch is not sufficient | outrun   | fetch                                    |
/// | outrun   | any end of the fetch        | stale    | the same, then wake                      |
/// | any      | other models were shown     | detached |                                          |
/// | current  | the request was replaced    | stale    | wake                                     |
/// | detached | the request was replaced    | stale    | wake                                     |
/// | touched  | the request was replaced    | stale    |                                          |
///
/// A change that does not matter is no event, and events that are not in the table change nothing.
/// `wake` requests a later `woken`, on the actor of the query; a burst of changes requests it once.
/// What is shown while `detached` are not the results of the request, so they cannot be patched.
package struct LiveQueryState: Equatable {
  package enum Phase: Equatable { case current, touched, stale, reading, interrupted, detached }

  package enum Event: Equatable {
    case changed(areNamed: Bool)
    case read, woken, replaced, overridden
    case patchInsufficient
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
      phase = .interrupted
      return []
    case (.touched, .read), (.touched, .woken):
      phase = .reading
      return [.patch]
    case (.stale, .read), (.stale, .woken):
      phase = .reading
      return [.fetch]
    case (.reading, .patchInsufficient), (.interrupted, .patchInsufficient): return [.fetch]
    case (.reading, .answered(let isSame)):
      phase = .current
      return LiveQueryState.actions(isSame: isSame)
    case (.interrupted, .answered(let isSame)):
      phase = .stale
      return LiveQueryState.actions(isSame: isSame) + [.wake]
    case (.reading, .failed):
      phase = .detached
      return [.publishError]
    case (.interrupted, .failed):
      phase = .stale
      return [.publishError, .wake]
    case (_, .overridden):
      phase = .detached
      return []
    // An observer that is notified of the results may read them meanwhile.
    case (.reading, .read), (.reading, .woken), (.interrupted, .read), (.interrupted, .woken):
      return []
    case (.current, .read), (.current, .woken), (.detached, .read), (.detached, .woken): return []
    case (.stale, .changed), (.stale, .replaced), (.interrupted, .changed),
      (.interrupted, .replaced):
      return []
    // No read is in progress.
    case (.current, _), (.touched, _), (.stale, _), (.detached, _): return []
    }
  }

  private static func actions(isSame: Bool) -> [Action] {
    isSame ? [.forgetError] : [.publish, .forgetError]
  }
}
