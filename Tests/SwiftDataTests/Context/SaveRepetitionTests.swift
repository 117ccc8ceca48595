import SwiftData
import Synchronization
import Testing

struct SaveRepetitionTests {
  private struct Failure: ConflictingWrite {
    let obstacle: WriteObstacle?
  }

  /// How often in sequence a save is repeated, and with which access, if it always fails for these
  /// reasons in turn.
  private func attempts(
    _ obstacles: [WriteObstacle], _ access: WriteAccess = .shared
  ) -> [WriteAccess] {
    var repetition = SaveRepetition(access)
    var found: [WriteAccess] = []
    while found.count < 100,
      repetition.repeats(after: Failure(obstacle: obstacles[found.count % obstacles.count]))
    {
      found.append(repetition.access)
    }
    #expect(repetition.failures == found.count + 1)
    return found
  }

  @Test func disturbedSavesAreRepeatedAloneAtLast() {
    let found = attempts([.concurrentChange])
    #expect(found == Array(repeating: .shared, count: 5) + Array(repeating: .exclusive, count: 4))
    #expect(attempts([.concurrentChange], .exclusive).count == 3)
    #expect(attempts([.takenKey]).count == 9)
  }

  @Test func aValueThatIsStillUnseenIsReported() {
    #expect(attempts([.unseenValue]) == [.shared, .exclusive])
    #expect(attempts([.unseenValue], .exclusive) == [])
  }

  /// What an optimistic save has expected in vain says nothing about other writers.
  @Test func vainExpectationsAreLookedUpAtOnce() {
    var repetition = SaveRepetition()
    #expect(repetition.access == .optimistic)
    for obstacle in [WriteObstacle.unseenValue, .missingRow] {
      let found = attempts([obstacle] + Array(repeating: .concurrentChange, count: 99), .optimistic)
      #expect(found == Array(repeating: .shared, count: 6) + Array(repeating: .exclusive, count: 4))
    }
    _ = repetition.repeats(after: Failure(obstacle: .concurrentChange))
    #expect(repetition.access == .optimistic)
    _ = repetition.repeats(after: Failure(obstacle: .missingRow))
    #expect(repetition.access == .shared)
    let pauses = Mutex<[Duration]>([])
    repetition.pause(
      StatementLog { event in
        guard case .repetition(let repetition) = event else { return }
        pauses.withLock { $0.append(repetition.pause) }
      })
    #expect(pauses.withLock { $0 } == [.zero])
  }

  @Test func theThirdLossOfAConnectionIsReported() {
    #expect(attempts([.lostConnection]) == [.shared, .shared])
    #expect(attempts([.lostConnection], .exclusive) == [.exclusive, .exclusive])
    // Neither counts for the other: a loss says nothing about other writers.
    #expect(attempts([.concurrentChange, .lostConnection]).count == 5)
    #expect(
      attempts([.lostConnection, .lostConnection] + Array(repeating: .concurrentChange, count: 98))
        == Array(repeating: .shared, count: 7) + Array(repeating: .exclusive, count: 4))
  }

  @Test func onlyDisturbancesAreRepeated() {
    func isRepeated(_ error: any Error) -> Bool {
      var repetition = SaveRepetition()
      return repetition.repeats(after: error)
    }
    let disturbance = Failure(obstacle: .concurrentChange)
    #expect(isRepeated(disturbance))
    #expect(isRepeated(SwiftDataError.storeWriteFailure.with("busy", underlying: disturbance)))
    #expect(!isRepeated(Failure(obstacle: nil)))
    #expect(!isRepeated(SwiftDataError.storeWriteFailure))
  }
}
