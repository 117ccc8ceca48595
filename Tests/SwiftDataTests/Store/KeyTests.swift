import Foundation
import SwiftData
import Testing

/// The primary keys that new rows get.
@Suite struct KeyTests {
  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    context = try Graph.context(at: folder.store)
  }

  private func insert(_ name: String) throws -> Int64? {
    let stop = Graph.Stop(name)
    context.insert(stop)
    try context.save()
    return stop.persistentModelID.rowKey
  }

  private func lastKey() throws -> Int64? {
    try SQLiteFile.integer(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Stop'", in: folder.store)
  }

  @Test func theKeyOfADeletedRowIsNotGivenAgain() throws {
    #expect(try insert("a") == 1)
    #expect(try insert("b") == 2)
    for stop in try context.fetch(FetchDescriptor<Graph.Stop>()) { context.delete(stop) }
    try context.save()
    #expect(try insert("c") == 3)
    #expect(try lastKey() == 3)
  }

  @Test func theKeyOfARowThatAnotherProgramWroteIsNotGivenAgain() throws {
    #expect(try insert("a") == 1)
    try SQLiteFile.execute(
      "INSERT INTO ZSTOP (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 2, Z_ENT, 1, 'b' FROM ZSTOP",
      in: folder.store)
    #expect(try insert("c") == 3)
    #expect(try lastKey() == 3)
    #expect(try context.stored(Graph.Stop.self).map(\.name).sorted() == ["a", "b", "c"])
  }

  @Test func aKeyOfAnotherStoreLeadsToNoRow() throws {
    _ = try insert("here")
    let other = try Graph.context()
    let stop = Graph.Stop("there")
    other.insert(stop)
    try other.save()
    let identifier = stop.persistentModelID
    #expect(identifier.rowKey == 1)
    let found = context.model(for: identifier) as? Graph.Stop
    #expect(found?.name != "here" && found?.isDeleted == true)
  }
}
