import SwiftData
import Testing

/// How many units of work run at the same time.
@Suite struct WriteConcurrencyTests {
  @Test func disturbancesHalveTheLimitAndSuccessesRaiseIt() {
    var concurrency = WriteConcurrency(atMost: 8)
    #expect(concurrency.limit == 8)
    concurrency.noteDisturbance()
    #expect(concurrency.limit == 4)
    for _ in 0..<5 { concurrency.noteDisturbance() }
    #expect(concurrency.limit == 1)
    concurrency.noteSuccess(of: 15)
    #expect(concurrency.limit == 1)
    concurrency.noteSuccess(of: 1)
    #expect(concurrency.limit == 2)
    concurrency.noteSuccess(of: 31)
    concurrency.noteDisturbance()
    #expect(concurrency.limit == 1)
    for _ in 0..<500 { concurrency.noteSuccess(of: 1) }
    #expect(concurrency.limit == 8)
  }

  @Test func oneContextStaysOne() {
    var concurrency = WriteConcurrency(atMost: 0)
    concurrency.noteDisturbance()
    concurrency.noteSuccess(of: 1_000)
    #expect(concurrency.limit == 1)
  }
}
