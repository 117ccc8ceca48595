import OpenSwiftDataTestModels
import Testing

/// A run sees answers that do not fit the file.
@Suite struct WritersJudgingTests {
  /// A run with a league, of which the first fan is 102 and the first player 103.
  private func run() throws -> WritersRun {
    let run = try WritersRun()
    try run.run(WritersProgram([(.first, .insertLeague), (.first, .save), (.first, .look)]))
    #expect(run.picture[102]?.partners["favourite"] == [103])
    return run
  }

  private func expect(
    _ kind: WritersFailure.Kind?, of move: League.Move = .save, hasWritten: Bool = false,
    _ change: (inout League.Answer) -> Void
  ) throws {
    var answer = League.Answer()
    change(&answer)
    let run = try run()
    var found: WritersFailure?
    do throws(WritersFailure) {
      try run.judge(answer, of: move, hasWritten: hasWritten)
    } catch {
      found = error
    }
    #expect(found?.kind == kind)
  }

  @Test func errorsAndWritesAreJudged() throws {
    try expect(nil, hasWritten: true) { $0.hasSaved = true }
    try expect(nil) { ($0.error, $0.isRefusal) = ("no", true) }
    try expect(.otherError) { $0.error = "disk" }
    try expect(.harmlessSaveThrew) { ($0.error, $0.isRefusal, $0.isHarmless) = ("no", true, true) }
    try expect(.wroteUnasked, hasWritten: true) { ($0.error, $0.isRefusal) = ("no", true) }
    try expect(.wroteUnasked, of: .look, hasWritten: true) { _ in }
  }

  private func expect(
    _ kind: WritersFailure.Kind?, _ property: String, _ form: League.Wish.Form, _ partner: Int,
    _ names: [String] = []
  ) throws {
    let run = try run()
    var answer = League.Answer()
    answer.discarded = [102: names]
    answer.wishes = [
      League.Wish(number: 102, property: property, form: form, partner: partner, ledToStored: true)
    ]
    var found: WritersFailure?
    do throws(WritersFailure) {
      try run.judgeSave(answer, before: run.picture)
    } catch {
      found = error
    }
    #expect(found?.kind == kind, "\(property) \(form) \(partner)")
  }

  @Test func whatASaveWasToStoreIsJudged() throws {
    try expect(nil, "favourite", .leadsTo, 103)
    try expect(nil, "idols", .leadsTo, 103)
    try expect(nil, "crew", .isEmpty, 0)
    try expect(nil, "value", .hasValue, 0)
    try expect(.laterSaveLost, "favourite", .leadsTo, 100)
    try expect(.laterSaveLost, "favourite", .isEmpty, 0)
    try expect(.laterSaveLost, "idols", .isWithout, 103)
    try expect(.laterSaveLost, "value", .hasValue, 3)
    try expect(.dropUnnamed, "club", .leadsTo, 77)
    try expect(nil, "club", .leadsTo, 77, ["club"])
  }

  @Test func whatAContextShowsIsCompared() throws {
    let run = try run()
    try run.compare(run.picture)
    for change in [
      { (picture: inout League.Picture) in picture[102]?.partners["favourite"] = nil },
      { $0[103]?.value = 7 }, { $0[101] = nil }, { $0[500] = League.Sight(.club, value: 0) },
    ] {
      var seen = run.picture
      change(&seen)
      let failure = #expect(throws: WritersFailure.self) { try run.compare(seen) }
      #expect(failure?.kind == .memory)
    }
  }

  /// - Parameter change: Makes the picture after the step from the one before.
  private func expect(
    _ kind: WritersFailure.Kind?, _ move: League.Move = .save, deleted: [Int] = [],
    touched: League.Touch..., change: (inout League.Picture) -> Void
  ) throws {
    let before = try run().picture
    var (after, answer) = (before, League.Answer())
    change(&after)
    (answer.deleted, answer.touches) = (deleted, touched)
    let changes = WritersChanges(before: before, after: after, answer, move)
    #expect((changes.skippedRule ?? changes.deletion ?? changes.change)?.kind == kind)
  }

  @Test func rowsThatGoAndStayAreJudged() throws {
    // 100 is a club with team 101, which has player 103; 109 is one with team 110 and debt 117.
    try expect(.deletedUnasked(.debt)) { $0[108] = nil }
    try expect(nil, deleted: [108]) { $0[108] = nil }
    try expect(nil, .deleteAll(.debt, 0)) { $0[108] = nil }
    try expect(.deletedUnasked(.debt), .deleteAll(.debt, 1)) { $0[108] = nil }
    try expect(nil, deleted: [100]) { for number in [100, 101, 103] { $0[number] = nil } }
    try expect(.deleteRuleSkipped("teams"), deleted: [100]) {
      $0[100] = nil
      $0[101]?.partners["club"] = nil
    }
    try expect(nil, deleted: [100], touched: League.Touch(101, "club")) {
      $0[100] = nil
      $0[101]?.partners["club"] = nil
    }
    try expect(.deleteRuleSkipped("debts"), deleted: [109]) {
      for number in [109, 110, 112, 118] { $0[number] = nil }
      $0[117]?.partners["club"] = nil
    }
  }

  @Test func propertiesThatNobodySetAreJudged() throws {
    try expect(.changedUnasked("fan.value")) { $0[102]?.value = 5 }
    try expect(nil, touched: League.Touch(102, "value")) { $0[102]?.value = 5 }
    try expect(.changedUnasked("fan.club")) { $0[102]?.partners["club"] = nil }
    try expect(nil, touched: League.Touch(102, "club")) { $0[102]?.partners["club"] = nil }
    try expect(.changedUnasked("fan.idols")) { $0[102]?.partners["idols"] = [103, 112] }
    try expect(nil, touched: League.Touch(102, "idols", partner: 112)) {
      $0[102]?.partners["idols"] = [103, 112]
    }
    try expect(.changedUnasked("crew.tabs")) { $0[107]?.partners["tabs"] = nil }
    try expect(.changedUnasked("player.seat")) { $0[103]?.partners["seat"] = nil }
    try expect(nil, touched: League.Touch(104, "player", partner: 112)) {
      $0[103]?.partners["seat"] = nil
    }
  }
}
