import SwiftData
import Testing

/// What looks at a store mean: one test for each row of the table.
@Suite struct RemoteCommitJudgeTests {
  private typealias State = RemoteCommitJudge

  /// - Parameter kinds: Of the transactions after the last look: `o`wn, `t`heirs, or a `g`ap of theirs.
  private func finding(
    _ kinds: String, after last: Int64, oldest: Int64? = 1, others: Bool? = nil
  ) -> State.Finding {
    let transactions = kinds.enumerated().map { index, kind in
      State.Transaction(
        number: last + 1 + Int64(index), isOwn: kind == "o", isGap: kind == "g")
    }
    return State.Finding(
      hasForeignCommits: others ?? kinds.contains { $0 != "o" }, last: last + Int64(kinds.count),
      oldest: oldest, transactions: transactions)
  }

  private func state(endsInGap: Bool = false) -> State {
    State(last: 10, oldest: 1, endsInGap: endsInGap)
  }

  @Test func nothingOfOthersIsNothing() {
    var state = state()
    #expect(state.judge(finding("", after: 10)) == .nothing)
    #expect(state.judge(finding("oo", after: 10)) == .nothing)
    #expect(state.last == 12)
  }

  @Test func transactionsOfOthersAreNamed() {
    var state = state()
    #expect(state.judge(finding("otot", after: 10)) == .transactions([12, 14]))
    #expect(state.judge(finding("t", after: 14)) == .transactions([15]))
    #expect(state.judge(finding("", after: 15)) == .nothing)
  }

  @Test func aLowerNumberIsAnotherFile() {
    var state = state()
    #expect(state.judge(finding("", after: 4)) == .everything)
    #expect(state.judge(finding("t", after: 4)) == .transactions([5]))
  }

  @Test func missingNumbersMayHaveChangedAnything() {
    var state = state()
    var finding = finding("ttt", after: 10)
    finding.transactions.remove(at: 1)
    #expect(state.judge(finding) == .everything)
    #expect(state.judge(self.finding("t", after: 13)) == .transactions([14]))
  }

  @Test func writingWithoutHistoryIsNeverTakenForNothing() {
    var state = state()
    #expect(state.judge(finding("", after: 10, others: true)) == .everything)
    #expect(state.judge(finding("o", after: 10, others: true)) == .everything)
    #expect(state.judge(finding("g", after: 11)) == .everything)
    // What follows the gap may have been written before the transaction that is found.
    #expect(state.judge(finding("t", after: 12)) == .everything)
    #expect(state.judge(finding("t", after: 13)) == .transactions([14]))
    #expect(state.judge(finding("tg", after: 14)) == .everything)
  }

  @Test func aGapBeforeTheFirstLookIsOne() {
    var state = state(endsInGap: true)
    #expect(state.judge(finding("t", after: 10)) == .everything)
  }

  @Test func deletingHistoryChangesNoRows() {
    var state = state()
    #expect(state.judge(finding("", after: 10, oldest: 5, others: true)) == .nothing)
    #expect(state.judge(finding("", after: 10, oldest: nil, others: true)) == .nothing)
    #expect(state.judge(finding("", after: 10, oldest: nil, others: true)) == .everything)
  }

  // MARK: Databases whose numbers are not dense

  /// Their deletions are recorded, so a missing number has no meaning.
  @Test func aMissingNumberIsNothingWhereDeletionsAreRecorded() {
    var state = state()
    var found = finding("ot", after: 14)
    found.lastDeleted = 3
    #expect(state.judge(found) == .transactions([16]))
    #expect(state.last == 16)
  }

  @Test func aRecordedDeletionAfterTheLastLookIsEverything() {
    var state = state()
    var found = finding("t", after: 12)
    found.lastDeleted = 11
    #expect(state.judge(found) == .everything)
    // The same record later is known.
    found = finding("t", after: 20)
    found.lastDeleted = 11
    #expect(state.judge(found) == .transactions([21]))
  }

  @Test func aLowerNumberIsAnotherDatabaseWhereDeletionsAreRecorded() {
    var state = state()
    var found = finding("", after: 9)
    found.lastDeleted = 0
    #expect(state.judge(found) == .everything)
  }
}
