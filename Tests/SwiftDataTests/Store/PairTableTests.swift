import Foundation
import SwiftData
import Testing

/// Tables of pairs, whichever of the possible forms a file has for those of an entity with itself.
@Suite struct PairTableTests {
  typealias Person = Pairs.Person
  typealias Student = Pairs.Student

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = try open()
    let (ann, bob, cid) = (Person("ann"), Person("bob"), Student("cid"))
    let (chess, choir) = (Pairs.Club("chess"), Pairs.Club("choir"))
    for person in [ann, bob, cid] { context.insert(person) }
    for club in [chess, choir] { context.insert(club) }
    ann.following = [bob, cid]
    bob.following = [ann]
    cid.mentors = [ann, bob]
    chess.members = [ann, cid]
    chess.guests = [bob]
    choir.guests = [ann, cid]
    try context.save()
  }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(Pairs.types), configurations: ModelConfiguration(url: folder.store)))
  }

  private func names(_ people: [Person]) -> String { people.map(\.name).sorted().joined() }

  private func person(_ name: String, _ context: ModelContext) throws -> Person {
    try #require(
      try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == name })).first)
  }

  private func links(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])).map {
      "\($0.name): \(names($0.following)) \(names($0.followers))"
        + " \(names($0.pupils)) \(names(($0 as? Student)?.mentors ?? [])) "
        + "\($0.clubs.map(\.name).sorted()) \($0.visits.map(\.name).sorted())"
    }
  }

  private static let links = [
    #"ann: bobcid bob cid  ["chess"] ["choir"]"#,
    #"bob: ann ann cid  [] ["chess"]"#,
    #"cid:  ann  annbob ["chess"] ["choir"]"#,
  ]

  @Test func allKindsAreRead() throws {
    #expect(try links(open()) == Self.links)
  }

  /// The table of `following` and `followers` with the other name and order of columns.
  private func exchange() throws {
    let made = try SQLiteFile.text(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z\\_%FOLLOW%' ESCAPE '\\'",
      in: folder.store)
    #expect(made == "Z_2FOLLOWERS")
    try SQLiteFile.execute(
      """
      CREATE TABLE Z_2FOLLOWING ( Z_2FOLLOWERS INTEGER, Z_2FOLLOWING INTEGER, \
      PRIMARY KEY (Z_2FOLLOWERS, Z_2FOLLOWING) );
      INSERT INTO Z_2FOLLOWING SELECT Z_2FOLLOWERS, Z_2FOLLOWING FROM Z_2FOLLOWERS;
      DROP TABLE Z_2FOLLOWERS;
      CREATE INDEX Z_2FOLLOWING_Z_2FOLLOWING_INDEX ON Z_2FOLLOWING (Z_2FOLLOWING, Z_2FOLLOWERS)
      """, in: folder.store)
  }

  private func expectExchanged() throws {
    #expect(
      try SQLiteFile.texts(
        "SELECT name FROM sqlite_schema WHERE name LIKE '%FOLLOW%' AND sql NOT NULL ORDER BY name",
        in: folder.store) == ["Z_2FOLLOWING", "Z_2FOLLOWING_Z_2FOLLOWING_INDEX"])
  }

  @Test func theOtherOrderIsReadAndEdited() throws {
    try exchange()
    let context = try open()
    #expect(try links(context) == Self.links)
    let (ann, cid) = (try person("ann", context), try person("cid", context))
    ann.following.removeAll { $0.name == "bob" }
    cid.following = [ann, cid]
    let dan = Student("dan")
    context.insert(dan)
    dan.followers = [ann]
    try context.save()
    try expectExchanged()
    let edited = try links(open())
    #expect(edited[0].hasPrefix("ann: ciddan bobcid cid"))
    #expect(edited[2].hasPrefix("cid: anncid anncid"))
    #expect(edited[3].hasPrefix("dan:  ann"))
    let pairs =
      "SELECT group_concat(x, ' ') FROM (SELECT a.ZNAME || '>' || b.ZNAME AS x FROM Z_2FOLLOWING "
      + "JOIN ZPERSON a ON a.Z_PK = Z_2FOLLOWERS JOIN ZPERSON b ON b.Z_PK = Z_2FOLLOWING ORDER BY x)"
    #expect(
      try SQLiteFile.text(pairs, in: folder.store) == "ann>cid ann>dan bob>ann cid>ann cid>cid")
  }

  @Test func predicatesAndDeletionsUseTheOtherOrder() throws {
    try exchange()
    let context = try open()
    let followed = try context.fetch(
      FetchDescriptor<Person>(
        predicate: #Predicate { $0.followers.contains { $0.name == "ann" } },
        sortBy: [SortDescriptor(\.name)]))
    #expect(followed.map(\.name) == ["bob", "cid"])
    context.delete(try person("ann", context))
    try context.save()
    #expect(try SQLiteFile.integer("SELECT count(*) FROM Z_2FOLLOWING", in: folder.store) == 0)
    try expectExchanged()
    let other = try open()
    #expect(try other.fetchCount(FetchDescriptor<Person>()) == 2)
    try other.delete(model: Student.self)
    #expect(try links(open()).count == 1)
  }
}
