import Foundation
import SwiftData
import Testing

/// Rows that another program changed so that they no longer fit: they are read, edited and saved, or a
/// call says why not. Nothing stops the program, and rows that a save is not about stay.
@Suite struct ForeignRowTests {
  typealias Animal = Zoo.Animal

  private static let changes = [
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 0",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = -9",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many'",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 281474976710655",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT > 16000",
    "UPDATE ZANIMAL SET Z_PK = 9223372036854775807 WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET Z_PK = -3 WHERE Z_PK = 3",
    "UPDATE ZKEEPER SET Z_PK = 9223372036854775807 WHERE Z_PK = 3",
    "UPDATE ZKEEPER SET Z_PK = -7 WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET Z_ENT = 77 WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET Z_ENT = -1 WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET Z_ENT = NULL",
    "UPDATE ZANIMAL SET Z_ENT = 9223372036854775807",
    "UPDATE ZANIMAL SET Z_ENT = 'dog'",
    "UPDATE ZANIMAL SET Z_ENT = 3",
    "UPDATE ZANIMAL SET Z_OPT = NULL",
    "UPDATE ZANIMAL SET Z_OPT = 9223372036854775807",
    "UPDATE ZANIMAL SET Z_OPT = 'often'",
    "UPDATE ZANIMAL SET ZKEEPER = 99",
    "UPDATE ZANIMAL SET ZKEEPER = 'nobody'",
    "UPDATE ZANIMAL SET ZKEEPER = 9223372036854775807",
    "UPDATE ZANIMAL SET ZKEEPER = -1",
    "UPDATE ZANIMAL SET ZKEEPER = 1.5",
    "UPDATE ZANIMAL SET ZKEEPER = x'00ff'",
    "UPDATE ZKEEPER SET ZFAVOURITE = 99",
    "UPDATE ZKEEPER SET ZFAVOURITE = -1",
    "UPDATE ZKEEPER SET ZFAVOURITE = 9223372036854775807",
    "UPDATE ZKEEPER SET Z1_FAVOURITE = NULL",
    "UPDATE ZKEEPER SET Z1_FAVOURITE = 3",
    "UPDATE ZKEEPER SET Z1_FAVOURITE = 99",
    "UPDATE ZKEEPER SET Z1_FAVOURITE = -1",
    "UPDATE ZKEEPER SET Z1_FAVOURITE = 9223372036854775807",
    "UPDATE ZKEEPER SET Z1_FAVOURITE = 'x'",
    "UPDATE Z_2WALKERS SET Z_2WALKS = Z_2WALKS + 50, Z_3WALKERS = 99 + rowid",
    "DELETE FROM ZKEEPER",
    "DELETE FROM ZANIMAL WHERE Z_PK % 2 = 0",
    "UPDATE ZANIMAL SET ZLEGS = 'four'",
    "UPDATE ZANIMAL SET ZLEGS = 1e300",
    "UPDATE ZANIMAL SET ZLEGS = 4.5",
    "UPDATE ZANIMAL SET ZLEGS = x'04'",
    "UPDATE ZANIMAL SET ZWEIGHT = 'heavy', ZBORN = 'long ago'",
    "UPDATE ZANIMAL SET ZWEIGHT = 9e999, ZBORN = 9e999",
    "UPDATE ZANIMAL SET ZWEIGHT = -9e999, ZBORN = -9e999",
    "UPDATE ZANIMAL SET ZBORN = 1e300",
    "UPDATE ZANIMAL SET ZBORN = -6e10",
    "UPDATE ZANIMAL SET ZBORN = 9223372036854775807",
    "UPDATE ZANIMAL SET ZISTAME = 7",
    "UPDATE ZANIMAL SET ZISTAME = 'yes'",
    "UPDATE ZANIMAL SET ZNAME = x'6180ff' WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET ZNAME = CAST(x'61fffe80' AS TEXT) WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET ZNAME = CAST(x'610062' AS TEXT) WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET ZNAME = 7 WHERE Z_PK = 3",
    "UPDATE ZANIMAL SET ZNAME = NULL",
    "UPDATE ZANIMAL SET ZCHIP = x'01'",
    "UPDATE ZANIMAL SET ZCHIP = 'chip'",
    "UPDATE ZANIMAL SET ZCHIP = zeroblob(100000)",
    "UPDATE ZANIMAL SET ZTAGS = x'62706c6973743030'",
    "UPDATE ZANIMAL SET ZTAGS = 'tags'",
    "UPDATE ZANIMAL SET ZTAGS = zeroblob(100)",
    "UPDATE ZANIMAL SET ZPHOTO = x'02'",
    "UPDATE ZANIMAL SET ZPHOTO = x'01'",
    "UPDATE ZANIMAL SET ZPHOTO = x''",
    "UPDATE ZANIMAL SET ZPHOTO = 'photo'",
    "UPDATE ZANIMAL SET ZPHOTO = x'0244454641554c5400'",
    "DROP INDEX Z_Animal_UNIQUE_name; UPDATE ZANIMAL SET ZNAME = 'twin'",
    "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION",
    "UPDATE ATRANSACTION SET Z_PK = 9223372036854775807",
    "UPDATE ACHANGE SET Z_PK = 9223372036854775807 WHERE Z_PK = 1",
    "UPDATE ACHANGE SET ZENTITY = 99, ZENTITYPK = -1, ZCHANGETYPE = 9, ZCOLUMNS = x'ffffffffff'",
    "UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999, ZAUTHORTS = 99",
    "UPDATE ATRANSACTIONSTRING SET ZNAME = NULL",
    "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000",
    "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 2",
    "INSERT INTO Z_PRIMARYKEY VALUES (9223372036854775807, 'Far', 0, 1)",
    "INSERT INTO Z_PRIMARYKEY VALUES (-4, 'Below', 0, 1)",
    "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT",
    "UPDATE Z_PRIMARYKEY SET Z_SUPER = 9223372036854775807 WHERE Z_ENT = 2",
  ]

  @Test(arguments: changes) func rowsThatDoNotFit(_ sql: String) throws {
    let folder = try Zoo.folder()
    try SQLiteFile.execute(sql, in: folder.store)
    let rows = "SELECT (SELECT count(*) FROM ZANIMAL) * 100 + (SELECT count(*) FROM ZKEEPER)"
    let before = try SQLiteFile.integer(rows, in: folder.store)
    do {
      try use(folder)
    } catch is SwiftDataError {
      // It says why.
    } catch {
      Issue.record("\(sql): \(error)")
    }
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
    #expect(try SQLiteFile.integer(rows, in: folder.store) >= before)
  }

  private func use(_ folder: StoreFolder) throws {
    let context = ModelContext(try Zoo.container(folder.store))
    _ = try Zoo.readAll(context)
    _ = context.unreadableValues
    var prefetching = FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.born)])
    prefetching.relationshipKeyPathsForPrefetching = [\.keeper, \.fears]
    _ = try ModelContext(context.container).fetch(prefetching).map { $0.keeper?.name }
    try ModelContext(context.container).enumerate(FetchDescriptor<Animal>(), batchSize: 5) {
      _ = $0.tags
    }
    _ = try context.fetch(FetchDescriptor<Animal>(), batchSize: 4).map(\.name)
    _ = try context.fetch(FetchDescriptor<Animal>(predicate: #Predicate { $0.legs > 3 }))
    for animal in try context.fetch(FetchDescriptor<Animal>()) { animal.isTame.toggle() }
    for keeper in try context.fetch(FetchDescriptor<Zoo.Keeper>()) { keeper.name += "!" }
    try context.save()
    let other = ModelContext(context.container)
    let animal = Zoo.Dog("New")
    other.insert(animal)
    animal.keeper = try other.fetch(FetchDescriptor<Zoo.Keeper>()).first
    animal.fears = Array(try other.fetch(FetchDescriptor<Animal>()).prefix(2))
    try other.save()
    try other.save()
    let last = ModelContext(context.container)
    let again = try last.fetch(FetchDescriptor<Zoo.Dog>(predicate: #Predicate { $0.name == "New" }))
    #expect(again.count == 1)
    _ = try Zoo.readAll(last)
  }

  @Test func noKeyIsLeft() throws {
    let folder = try Zoo.folder()
    try SQLiteFile.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", in: folder.store)
    let context = ModelContext(try Zoo.container(folder.store))
    context.insert(Zoo.Keeper("New"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .storeWriteFailure)
    #expect(error?.description.contains("Z_MAX") == true, "\(error?.description ?? "")")
    #expect(error?.entity == "Keeper")
  }
}
