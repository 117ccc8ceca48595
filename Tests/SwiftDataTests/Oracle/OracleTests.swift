import Foundation
import SwiftData
import Testing

/// Random programs on a graph of models agree with an oracle of plain values after every step: in
/// memory, in other contexts and in the tables.
///
/// `ORACLE_PROGRAMS` is how many programs run, `ORACLE_FIRST` the seed of the first. A failure is
/// shrunk to a short program, to be kept in `OracleRegressionTests`.
@Suite(.databases) struct OracleTests {
  @Test(arguments: 0..<4) func randomProgramsAgreeWithTheOracle(part: Int) throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["ORACLE_PROGRAMS"].flatMap(Int.init) ?? 80
    let first = environment["ORACLE_FIRST"].flatMap(Int.init) ?? 0
    var passed = 0
    for seed in first..<(first + count) where seed % 4 == part {
      let program = Program(
        seed: UInt64(seed), length: 10 + seed % 5 * 12, undoes: seed / 4 % 2 == 0)
      let isObserved = seed / 8 % 2 == 1
      guard Oracle.failure(of: program, isObserved) != nil else {
        passed += 1
        continue
      }
      let shrunk = program.shrunk { Oracle.failure(of: $0, isObserved) != nil }
      Issue.record("seed \(seed): \(Oracle.failure(of: shrunk, isObserved) ?? "")\n\(shrunk)")
      return
    }
    #expect(passed == (first..<(first + count)).count { $0 % 4 == part })
  }

  @Test func theOracleSeesAWrongStore() throws {
    var run = try OracleRun()
    try run.run(Program([.insertTree, .save]))
    try StoredTables.execute("UPDATE ZMEMBER SET ZTEAM = NULL WHERE Z_PK = 1", in: run.folder.store)
    #expect(throws: Disagreement.self) { try run.run(Program([.reopen])) }
  }

  @Test func theOracleFollowsAnUpsert() throws {
    var run = try OracleRun()
    try run.run(Program([.insert(.club), .insert(.member), .link(.club, .left, 0, 0), .save]))
    let club = try #require(run.held[1])
    try run.run(Program([.upsert(.club, 0), .edit(2, 7), .editDuplicate(0, 0), .save]))
    #expect(run.now.things.keys.sorted() == [2, 3] && run.now.things[3]?.value == 7)
    #expect(run.now.partners(.club, .right, of: 3) == [2])
    #expect(run.held[3] === club && run.duplicates.map(\.number) == [3])
    try run.run(Program([.editDuplicate(0, 9)]))
    #expect(club.value == 9)
  }

  @Test func aFailingProgramShrinks() {
    let program = Program(seed: 1, length: 40, undoes: false)
    func fails(_ program: Program) -> Bool {
      program.steps.contains { if case .save = $0 { true } else { false } }
    }
    #expect(fails(program) && program.shrunk(while: fails).description == "[.save]")
  }
}

enum Oracle {
  /// Why a program fails; nil when it doesn't.
  static func failure(of program: Program, _ isObserved: Bool = false) -> String? {
    do {
      var run = try OracleRun(isObserved: isObserved)
      try run.run(program)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
