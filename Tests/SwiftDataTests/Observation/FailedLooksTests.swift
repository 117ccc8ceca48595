import SwiftData
import Testing

/// When a store that can't be read is read again, and what is reported.
@Suite struct FailedLooksTests {
  private var looks = FailedLooks()

  @Test mutating func theFirstFailureIsReportedAndPausesGrow() {
    var pauses: [Duration?] = []
    for number in 0..<7 {
      let (reports, pause) = looks.failed(because: .unavailable)
      #expect(reports == (number == 0))
      pauses.append(pause)
      looks.pauseEnded()
    }
    #expect(pauses == [250, 500, 1000, 2000, 4000, 5000, 5000].map { .milliseconds($0) })
    #expect(looks.succeeded() == true)
    #expect(looks.succeeded() == false)
    #expect(looks.failed(because: .unavailable) == (true, .milliseconds(250)))
  }

  /// Commits are looked at during a pause too.
  @Test mutating func onlyOneRepetitionIsPlanned() {
    #expect(looks.failed(because: .unavailable) == (true, .milliseconds(250)))
    #expect(looks.failed(because: .unavailable) == (false, nil))
    looks.pauseEnded()
    #expect(looks.failed(because: .unavailable) == (false, .milliseconds(500)))
  }

  @Test mutating func aLongWriteIsNoFailureOfReads() {
    #expect(looks.failed(because: .busy) == (false, .milliseconds(250)))
    #expect(looks.succeeded() == false)
    looks.pauseEnded()
    #expect(looks.failed(because: .busy) == (false, .milliseconds(250)))
    #expect(looks.failed(because: .unavailable) == (true, nil))
  }

  @Test mutating func aMigrationIsReportedOnceAndNotRepeated() {
    #expect(looks.failed(because: .unavailable) == (true, .milliseconds(250)))
    looks.pauseEnded()
    #expect(looks.failed(because: .schemaMismatch) == (true, nil))
    #expect(looks.failed(because: .schemaMismatch) == (false, nil))
    #expect(looks.succeeded() == true)
  }

  @Test mutating func aClosedContainerIsNotReadAgain() {
    #expect(looks.failed(because: .closed) == (false, nil))
  }
}
