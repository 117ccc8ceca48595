import SwiftData
import Testing

@Suite struct PruningPauseTests {
  @Test func thePauseDoublesUpToALimitAndEndsWithTheLock() {
    var pause = PruningPause()
    let start = ContinuousClock.now
    #expect(pause.isOver(at: start))
    var now = start
    for expected in [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
      pause.begin(at: now)
      #expect(!pause.isOver(at: now + .milliseconds(expected - 1)))
      now += .milliseconds(expected)
      #expect(pause.isOver(at: now))
    }
    for _ in 0..<100 { pause.begin(at: now) }
    #expect(pause.isOver(at: now + .seconds(30)))
    pause.reset()
    #expect(pause.isOver(at: start))
    pause.begin(at: start)
    #expect(pause.isOver(at: start + .milliseconds(100)))
  }

  @Test func anAttemptWaitsLongerOnceThePauseIsAtItsLongest() {
    var pause = PruningPause()
    for _ in 0..<10 {
      #expect(pause.lockLimit == .milliseconds(100))
      pause.begin(at: .now)
    }
    #expect(pause.lockLimit == .seconds(1))
    pause.begin(at: .now)
    #expect(pause.lockLimit == .seconds(1))
    pause.reset()
    #expect(pause.lockLimit == .milliseconds(100))
  }
}
