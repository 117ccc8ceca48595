import Foundation
import SwiftData
import SwiftDataTools
import Testing

/// A program may use some of a file's models only; then their numbers are not those of a new store.
private enum Menagerie {
  @Model class Animal {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model final class Cat: Animal {
    var lives: Int?

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Dog: Animal {
    var tricks: Int?

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Eel: Animal {
    var volts: Int?

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Keeper {
    var name: String

    init(_ name: String) { self.name = name }
  }
}

/// What a damaged file tells of the numbers of its entities.
@Suite struct RecoveredEntitiesTests {
  private typealias Animal = Menagerie.Animal
  private typealias Cat = Menagerie.Cat
  private typealias Dog = Menagerie.Dog
  private typealias Keeper = Menagerie.Keeper

  private static let all: [any PersistentModel.Type] = [
    Animal.self, Cat.self, Dog.self, Keeper.self,
  ]
  private static let some: [any PersistentModel.Type] = [Animal.self, Dog.self, Keeper.self]

  private let store: MigratedStore
  private var recovered: URL { store.folder.url.appending(path: "recovered.store") }

  init() throws {
    store = try MigratedStore()
    try store.make(Self.all) { context in
      let dog = Dog("Rex")
      dog.tricks = 3
      context.insert(dog)
      context.insert(Cat("Tom"))
      for number in 0..<5 { context.insert(Keeper("Keeper \(number)")) }
    }
  }

  private func erasePage(of table: String) throws {
    let root = try SQLiteFile.integer(
      "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: store.url)
    let file = try FileHandle(forUpdating: store.url)
    try file.seek(toOffset: UInt64(root - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0, count: 4096))
    try file.close()
  }

  private func recover(_ types: [any PersistentModel.Type]) throws -> StoreRecovery {
    try ModelContainer.recoverStore(at: store.url, to: recovered, for: Schema(types))
  }

  private func open(_ types: [any PersistentModel.Type]) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: recovered)))
  }

  private func expectClasses() throws {
    let context = try open(Self.all)
    #expect(try context.fetch(FetchDescriptor<Cat>()).map(\.name) == ["Tom"])
    #expect(try context.fetch(FetchDescriptor<Dog>()).map(\.name) == ["Rex"])
    #expect(try context.fetchCount(FetchDescriptor<Keeper>()) == 5)
  }

  private func expectRefusal(_ types: [any PersistentModel.Type]) {
    let error = #expect(throws: SwiftDataError.self) { _ = try recover(types) }
    #expect(error?.description.contains("numbers of its entities") == true)
    #expect(!FileManager.default.fileExists(atPath: recovered.path))
  }

  /// The page of the entities is readable, only the list of tables does not name it.
  @Test func aTableOfEntitiesThatNothingNamesIsFound() throws {
    try SQLiteFile.execute(
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'Z_PRIMARYKEY'",
      in: store.url)
    #expect(try recover(Self.some).unreadableParts == [.entities])
    try expectClasses()
  }

  @Test func theModelOfTheFileTellsTheNumbers() throws {
    try erasePage(of: "Z_PRIMARYKEY")
    #expect(try recover(Self.some).unreadableParts == [.entities])
    try expectClasses()
  }

  /// The number of `Keeper`, which its rows tell, is not that of a new store. So that of `Dog` is not known.
  @Test func classesThatCannotBeToldApartAreRefused() throws {
    for table in ["Z_PRIMARYKEY", "Z_MODELCACHE"] { try erasePage(of: table) }
    expectRefusal(Self.some)
  }

  /// By the numbers of a new store the dog is an eel, which has no tricks.
  @Test func aValueOfAnotherClassRefusesTheNumbersOfANewStore() throws {
    try SQLiteFile.execute("DELETE FROM ZANIMAL WHERE ZNAME = 'Tom'", in: store.url)
    for table in ["Z_PRIMARYKEY", "Z_MODELCACHE"] { try erasePage(of: table) }
    expectRefusal([Animal.self, Dog.self, Menagerie.Eel.self])
  }

  @Test func theRowsOfAClassTellItsNumber() throws {
    for table in ["Z_PRIMARYKEY", "Z_MODELCACHE"] { try erasePage(of: table) }
    let recovery = try recover([Keeper.self])
    #expect(recovery.tables.first { $0.name == "ZKEEPER" }?.copiedRows == 5)
    let context = try open([Keeper.self])
    #expect(try context.fetchCount(FetchDescriptor<Keeper>()) == 5)
    context.insert(Keeper("New"))
    try context.save()
    #expect(try SQLiteFile.integer("SELECT max(Z_PK) FROM ZKEEPER", in: recovered) == 6)
  }
}
