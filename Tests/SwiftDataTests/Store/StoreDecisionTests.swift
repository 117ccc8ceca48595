import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Which files are opened and which are refused.
@Suite struct StoreDecisionTests {
  enum Old {
    @Model final class Item {
      var code: Int

      init(_ code: Int) { self.code = code }
    }
  }

  enum New {
    @Model final class Item {
      @Attribute(.unique) var code: Int

      init(_ code: Int) { self.code = code }
    }
  }

  @Model final class Picture {
    var data: Data

    init(_ data: Data) { self.data = data }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func container(
    _ types: [any PersistentModel.Type] = Library.types, allowsSave: Bool = true
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types),
      configurations: ModelConfiguration(url: folder.store, allowsSave: allowsSave))
  }

  private func refusal(afterwards sql: String) throws -> String {
    _ = try container()
    try SQLiteFile.execute(sql, in: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try container() }
    return error?.description ?? ""
  }

  @Test func aNumberOutOfRangeIsRefused() throws {
    let text = try refusal(
      afterwards: "UPDATE Z_PRIMARYKEY SET Z_ENT = 16100 WHERE Z_NAME = 'Shelf'")
    #expect(text.contains("the model Shelf has the number 16100, which is out of range"))
  }

  @Test func aMissingTableIsRefusedByName() throws {
    #expect(
      try refusal(afterwards: "DROP TABLE Z_2SHELVES")
        .contains("lacks tables of its own models: Z_2SHELVES"))
  }

  @Test func anEmptyFileIsNoStoreToRead() throws {
    try Data().write(to: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try container(allowsSave: false)
    }
    #expect(error?.description.contains("Open it with allowsSave: true once") == true)
    #expect(try Data(contentsOf: folder.store).isEmpty)
  }

  @Test func aColumnWithoutATypeHoldsBytes() throws {
    do {
      let context = ModelContext(try container([Picture.self]))
      context.insert(Picture(Data([1, 2])))
      try context.save()
    }
    try SQLiteFile.execute(
      """
      PRAGMA writable_schema = 1;
      UPDATE sqlite_schema SET sql = replace(sql, ' BLOB', '') WHERE name = 'ZPICTURE';
      """, in: folder.store)
    #expect(
      try SQLiteFile.text(
        "SELECT type FROM pragma_table_info('ZPICTURE') WHERE name = 'ZDATA'", in: folder.store)
        == "")
    let context = ModelContext(try container([Picture.self]))
    #expect(try context.fetch(FetchDescriptor<Picture>()).map(\.data) == [Data([1, 2])])
  }

  @Test func aNewConstraintIsNamed() throws {
    do {
      let context = ModelContext(try container([Old.Item.self]))
      for _ in 0..<2 { context.insert(Old.Item(7)) }
      try context.save()
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try container([New.Item.self])
    }
    #expect(error?.entity == "Item" && error?.property == "code")
    #expect(error?.description.contains("1 row (p2)") == true)
    let context = ModelContext(try container([Old.Item.self]))
    #expect(try context.fetch(FetchDescriptor<Old.Item>()).map(\.code) == [7, 7])
  }

  @Test func aConstraintOfTheFileIsABrokenRule() throws {
    let context = ModelContext(try container())
    try SQLiteFile.execute("CREATE UNIQUE INDEX byLabel ON ZSHELF (ZLABEL)", in: folder.store)
    for _ in 0..<2 { context.insert(Shelf(label: "top")) }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Shelf" && error?.property == "label")
    #expect(try context.count(Shelf.self) == 0)
  }

  @Test func anErrorNamesTheModelThatWasFetched() throws {
    let context = ModelContext(try container())
    try SQLiteFile.execute("DROP TABLE ZBOOK", in: folder.store)
    let error = #expect(throws: SwiftDataError.storeReadFailure) {
      try context.fetch(
        FetchDescriptor<Author>(predicate: #Predicate { $0.books.contains { $0.pages > 3 } }))
    }
    #expect(error?.entity == "Author")
  }
}
