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
      case .outrun: [.read, .changed]
      case .current: [.read, .answered(isSame: true)]
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
    expect(.current, .changed, .stale, [.wake])
    expect(.current, .replaced, .stale, [.wake])
    expect(.current, .read, .current, [])
    expect(.current, .woken, .current, [])
    expect(.stale, .changed, .stale, [])
    expect(.stale, .replaced, .stale, [])
    expect(.stale, .read, .reading, [.fetch])
    expect(.stale, .woken, .reading, [.fetch])
    expect(.reading, .changed, .outrun, [])
    expect(.reading, .read, .reading, [])
    expect(.reading, .answered(isSame: true), .current, [.forgetError])
    expect(.reading, .answered(isSame: false), .current, [.publish, .forgetError])
    expect(.reading, .failed, .current, [.publishError])
    expect(.outrun, .changed, .outrun, [])
    expect(.outrun, .answered(isSame: true), .stale, [.forgetError, .wake])
    expect(.outrun, .answered(isSame: false), .stale, [.publish, .forgetError, .wake])
    expect(.outrun, .failed, .stale, [.publishError, .wake])
    expect(.current, .answered(isSame: false), .current, [])
    expect(.stale, .failed, .stale, [])
  }

  @Test(arguments: 0..<200) func noChangeIsForgotten(seed: Int) {
    var random = SeededRandom(UInt64(seed))
    var state = LiveQueryState()
    var isBehind = true
    var isFetching = false
    for _ in 0..<60 {
      let events: [LiveQueryState.Event] =
        [.changed, .replaced, .read, .woken]
        + (isFetching ? [.answered(isSame: Bool.random(using: &random)), .failed] : [])
      guard let event = events.randomElement(using: &random) else { continue }
      let actions = state.handle(event)
      switch event {
      case .changed, .replaced: isBehind = true
      case .answered, .failed: isFetching = false
      case .read, .woken: break
      }
      if actions.contains(.fetch) {
        #expect(!isFetching)
        isFetching = true
        isBehind = false
      }
      // Whoever is behind, and does not fetch, fetches with the next read.
      #expect((state.phase == .stale || state.phase == .outrun) == isBehind)
    }
  }
}
