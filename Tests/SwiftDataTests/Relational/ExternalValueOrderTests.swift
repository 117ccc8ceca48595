import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// When large values are written and removed, as seen among the statements of a save.
@Suite struct ExternalValueOrderTests {
  typealias Picture = External.Picture

  private let context: ModelContext
  private let driver: RecordingDriver

  init() throws {
    (context, driver) = try RecordingStore.context(External.types, .sqlite)
    driver.values = RecordedValues(driver)
  }

  /// The verbs of the statements, and the events of the values between them.
  private func events() -> [String] {
    driver.take().filter { !$0.contains("Z_PRIMARYKEY") && !$0.hasPrefix("SELECT max") }
      .map { $0.contains(" \"") ? String($0.prefix { $0 != " " }) : $0 }
  }

  @Test func valuesComeBeforeTheirRowsAndFollowTheCommit() throws {
    let picture = Picture("a", Data(count: 9))
    context.insert(picture)
    context.insert(Picture("b", Data(count: 8)))
    try context.save()
    let statements = driver.statements
    #expect(events() == ["write V0", "INSERT", "INSERT", "will commit", "did commit"])
    let columns = statements.filter { $0.sql.hasPrefix("INSERT") }.map(\.values)
    #expect(columns.contains { $0.contains(.blob(Data([2]) + Data("V0".utf8) + Data([0]))) })
    #expect(columns.contains { $0.contains(.blob(Data([1]) + Data(count: 8))) })
    context.delete(picture)
    try context.save()
    #expect(events().suffix(3) == ["DELETE", "will commit", "did commit"])
  }

  @Test func aCommitThatFailsLeavesItOpenWhatIsStored() throws {
    struct Refusal: Error {}
    driver.onCommit = { throw Refusal() }
    context.insert(Picture("a", Data(count: 9)))
    #expect(throws: Refusal.self) { try context.save() }
    #expect(events() == ["write V0", "INSERT", "will commit", "failed to commit"])
    driver.onCommit = nil
    try context.save()
    #expect(events() == ["write V1", "INSERT", "will commit", "did commit"])
  }

  @Test func aRowThatIsGoneTakesItsValueBack() throws {
    let picture = Picture("a")
    context.insert(picture)
    try context.save()
    _ = driver.take()
    driver.script = [("UPDATE \"ZPICTURE\"", [[.integer(0)]])]
    picture.data = Data(count: 9)
    try context.save()
    #expect(events().prefix(3) == ["write V0", "UPDATE", "did roll back"])
  }
}
