import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// The rules see each kind of damage, and nothing else.
@Suite struct FileRulesTests {
  /// A file with a league in it.
  private func run() throws -> WritersRun {
    let run = try WritersRun()
    try run.run(WritersProgram([(.first, .insertLeague), (.first, .save)]))
    #expect(try FileRules(run.folder.store).breaches().isEmpty)
    return run
  }

  private func expect(_ rules: Set<FileRules.Rule>, after sql: String) throws {
    let run = try run()
    try SQLiteFile.execute(sql, in: run.folder.store)
    let breaches = try FileRules(run.folder.store).breaches()
    #expect(Set(breaches.map(\.rule)) == rules, "\(breaches) after \(sql)")
  }

  private func column(_ pattern: String, of table: String) throws -> String {
    let run = try run()
    let name = try SQLiteFile.text(
      "SELECT name FROM pragma_table_info('\(table)') WHERE name LIKE '\(pattern)'",
      in: run.folder.store)
    return try #require(name)
  }

  @Test(arguments: LeagueColumns.toOnes.map { "UPDATE Z\($0.0) SET Z\($0.1) = 77 WHERE Z_PK = 1" })
  func aKeyThatLeadsNowhereIsSeen(sql: String) throws {
    let run = try run()
    try SQLiteFile.execute(sql, in: run.folder.store)
    #expect(try FileRules(run.folder.store).breaches().contains { $0.rule == .dangling })
  }

  @Test func aMemberOfALostOwnerWithoutInverseIsSeen() throws {
    let column = try column("%TABS%", of: "ZDEBT")
    try expect([.dangling], after: "UPDATE ZDEBT SET \(column) = 77")
  }

  @Test func aMissingModelOfARequiredRelationshipIsSeen() throws {
    for (table, column) in LeagueColumns.required {
      try expect([.required], after: "UPDATE Z\(table) SET Z\(column) = NULL")
    }
  }

  @Test func aPairWithoutARowIsSeen() throws {
    try expect(
      [.pair],
      after: "UPDATE ZFAN SET ZFAVOURITE = NULL; UPDATE ZSEAT SET ZPLAYER = NULL; "
        + "DELETE FROM ZPLAYER")
  }

  @Test func oneSidedRelationshipsAreSeen() throws {
    try expect([.oneToOne], after: "UPDATE ZPLAYER SET ZSEAT = NULL WHERE Z_PK = 1")
    try expect([.oneToOne], after: "UPDATE ZSEAT SET ZPLAYER = NULL WHERE Z_PK = 1")
    try expect([.oneToOne], after: "UPDATE ZPLAYER SET ZSEAT = 1")
  }

  @Test func aCodeThatTwoSeatsHaveIsSeen() throws {
    let run = try run()
    let index = try #require(
      try SQLiteFile.text(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'ZSEAT' "
          + "AND sql LIKE '%UNIQUE%'", in: run.folder.store))
    try expect([.unique], after: "DROP INDEX \(index); UPDATE ZSEAT SET ZCODE = 1")
  }

  @Test func listsWithTooFewOrTooManyMembersAreSeen() throws {
    try expect([.count], after: "UPDATE ZFAN SET ZCREW = NULL WHERE ZCREW = 1")
    try expect([.count], after: "UPDATE ZFAN SET ZCREW = 1")
  }

  @Test func aProgramEndsWhereTheFileIsDamaged() throws {
    let run = try run()
    try SQLiteFile.execute("UPDATE ZTEAM SET ZCLUB = 77 WHERE Z_PK = 1", in: run.folder.store)
    let failure = #expect(throws: WritersFailure.self) {
      try run.run(WritersProgram([(.first, .edit(.club, 0, 3)), (.first, .save)]))
    }
    #expect(failure?.kind == .file(.dangling, "team.club"))
  }
}
