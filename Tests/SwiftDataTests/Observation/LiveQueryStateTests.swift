import SwiftData
import Testing

/// The life of a live query, on paper: the table in the header of `LiveQueryState`.
struct LiveQueryStateTests {
  /// A state that is led to a phase.
  private func state(_ phase: LiveQueryState.Phase) -> LiveQueryState {
    var state = LiveQueryState()
    let events: [LiveQueryState.Event] =
      switch phase {
      case .stale: []
      case .reading: [.read]
      case .interrupted: [.read, .changed(areNamed: true)]
      case .current: [.read, .answered(isSame: true)]
      case .touched: [.read, .answered(isSame: true), .changed(areNamed: true)]
      case .detached: [.read, .failed]
      }
    for event in events { _ = state.handle(event) }
    #expect(state.phase == phase)
    return state
  }

  private func expect(
    _ before: LiveQueryState.Phase, _ event: LiveQueryState.Event,
    _ after: LiveQueryState.Phase, _ actions: [LiveQueryState.Action],
    _ location: SourceLocation = #_sourceLocation
  ) {
    var state = state(before)
    #expect(state.handle(event) == actions, sourceLocation: location)
    #expect(state.phase == after, sourceLocation: location)
  }

  @Test func eachRowOfTheTable() {
    expect(.current, .changed(areNamed: true), .touched, [.wake])
    expect(.current, .changed(areNamed: false), .stale, [.wake])
    expect(.touched, .changed(areNamed: true), .touched, [])
    expect(.touched, .changed(areNamed: false), .stale, [])
    expect(.detached, .changed(areNamed: true), .stale, [.wake])
    expect(.stale, .changed(areNamed: true), .stale, [])
    expect(.touched, .read, .reading, [.patch])
    expect(.touched, .woken, .reading, [.patch])
    expect(.reading, .patchInsufficient, .reading, [.fetch])
    expect(.interrupted, .patchInsufficient, .interrupted, [.fetch])
    expect(.current, .overridden, .detached, [])
    expect(.stale, .overridden, .detached, [])
    expect(.detached, .read, .detached, [])
    expect(.detached, .replaced, .stale, [.wake])
    expect(.touched, .replaced, .stale, [])
    expect(.current, .replaced, .stale, [.wake])
    expect(.current, .read, .current, [])
    expect(.current, .woken, .current, [])
    expect(.stale, .changed(areNamed: false), .stale, [])
    expect(.stale, .replaced, .stale, [])
    expect(.stale, .read, .reading, [.fetch])
    expect(.stale, .woken, .reading, [.fetch])
    expect(.reading, .changed(areNamed: true), .interrupted, [])
    expect(.reading, .replaced, .interrupted, [])
    expect(.reading, .read, .reading, [])
    expect(.reading, .answered(isSame: true), .current, [.forgetError])
    expect(.reading, .answered(isSame: false), .current, [.publish, .forgetError])
    expect(.reading, .failed, .detached, [.publishError])
    expect(.interrupted, .changed(areNamed: false), .interrupted, [])
    expect(.interrupted, .answered(isSame: true), .stale, [.forgetError, .wake])
    expect(.interrupted, .answered(isSame: false), .stale, [.publish, .forgetError, .wake])
    expect(.interrupted, .failed, .stale, [.publishError, .wake])
    expect(.current, .answered(isSame: false), .current, [])
    expect(.stale, .failed, .stale, [])
  }

  @Test(arguments: 0..<200) func noChangeIsForgotten(seed: Int) {
    var random = SeededRandom(UInt64(seed))
    var state = LiveQueryState()
    var isBehind = true
    var isFetching = false
    /// Whether what is shown is the answer but for changes that are named.
    var canBePatched = false
    for _ in 0..<60 {
      let events: [LiveQueryState.Event] =
        [.changed(areNamed: true), .changed(areNamed: false), .replaced, .read, .woken]
        + (isFetching ? [.answered(isSame: Bool.random(using: &random)), .failed] : [])
      guard let event = events.randomElement(using: &random) else { continue }
      let actions = state.handle(event)
      switch event {
      case .changed(let areNamed):
        isBehind = true
        if !areNamed { canBePatched = false }
      case .replaced: (isBehind, canBePatched) = (true, false)
      case .answered: (isFetching, canBePatched) = (false, !isBehind)
      case .failed: (isFetching, canBePatched) = (false, false)
      case .read, .woken, .overridden, .patchInsufficient: break
      }
      #expect(!actions.contains(.patch) || canBePatched)
      if actions.contains(.fetch) || actions.contains(.patch) {
        #expect(!isFetching)
        isFetching = true
        isBehind = false
      }
      // Whoever is behind, and does not fetch, fetches with the next read.
      #expect([.stale, .touched, .interrupted].contains(state.phase) == isBehind)
    }
  }
}
