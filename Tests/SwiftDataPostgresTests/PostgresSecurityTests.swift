import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

// Names that are keywords of SQL, or that become the same name in capitals.

@Model
final class Select {
  var order: String = ""
  var user: String = ""
  var table: Int = 0
  var `where`: Bool = false
  var straße: String = ""
  var strasse: String = ""
  var größe日本: Double = 0
  @Attribute(originalName: "a\"; DROP TABLE \"ZVICTIM\"; --") var renamed: String = ""
  @Relationship(inverse: \Group.union) var having: [Group] = []

  init(_ order: String) { self.order = order }
}

@Model
final class Group {
  @Attribute(.unique) var primary: String
  var union: Select?

  init(_ primary: String) { self.primary = primary }
}

@Model
final class Victim {
  var name: String

  init(_ name: String) { self.name = name }
}

@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresInjectionTests {
  let address: String
  let container: ModelContainer

  init() throws {
    address = try PostgresServer.shared.addressOfNewSchema()
    container = try ModelContainer(
      for: Select.self, Group.self, Victim.self, configurations: PostgresConfiguration(url: address)
    )
  }

  static let hostile = [
    "'; DROP TABLE \"ZVICTIM\"; --", "\"; DROP TABLE \"ZVICTIM\"; --",
    "\\'; DELETE FROM \"ZVICTIM\"; --",
    "$1", "$$; DROP TABLE \"ZVICTIM\"; $$", "%", "_", "\\", "\\\\", "E'\\x27'", "\u{2019}; --",
    "/* ", "*/", "NULL", "a\nb\r\u{1}", "\u{FEFF}x", "{\"a\":1}", "{1,2}",
    String(repeating: "'", count: 1_000),
  ]

  @Test func keywordsAndUnicodeAreNamesLikeAllOthers() throws {
    let context = ModelContext(container)
    let select = Select("o")
    select.user = "u"
    select.table = 7
    select.where = true
    select.straße = "ß"
    select.strasse = "ss"
    select.größe日本 = 1.5
    select.renamed = "r"
    context.insert(select)
    let group = Group("p")
    group.union = select
    context.insert(group)
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(
      FetchDescriptor<Select>(
        predicate: #Predicate {
          $0.order == "o" && $0.user == "u" && $0.table > 6 && $0.where && $0.straße == "ß"
            && $0.strasse == "ss" && $0.größe日本 == 1.5 && $0.having.contains { $0.primary == "p" }
        }, sortBy: [SortDescriptor(\.table), SortDescriptor(\.user)]))
    #expect(found.map(\.renamed) == ["r"])
    #expect(found.first?.having.map(\.primary) == ["p"])
    try #require(found.first).table = 8
    try other.save()
    try other.delete(model: Select.self, where: #Predicate { $0.table == 8 })
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Select>()) == 0)
  }

  @Test func hostileValuesAreStoredComparedAndSortedAsText() throws {
    let context = ModelContext(container)
    let texts = PostgresInjectionTests.hostile
    for text in texts { context.insert(Victim(text)) }
    try context.save()
    for text in texts {
      let other = ModelContext(container)
      func count(_ predicate: Predicate<Victim>) throws -> Int {
        try other.fetchCount(FetchDescriptor(predicate: predicate))
      }
      #expect(try count(#Predicate { $0.name == text }) == 1)
      #expect(try count(#Predicate { $0.name.contains(text) }) == texts.count { $0.contains(text) })
      #expect(
        try count(#Predicate { $0.name.starts(with: text) }) == texts.count { $0.hasPrefix(text) })
      let list = [text]
      #expect(try count(#Predicate { list.contains($0.name) }) == 1)
      #expect(
        try count(#Predicate { $0.name.localizedStandardContains(text) })
          == texts.count { $0.localizedStandardContains(text) })
    }
    let sorted = try ModelContext(container).fetch(
      FetchDescriptor<Victim>(sortBy: [SortDescriptor(\.name)])
    ).map(\.name)
    #expect(sorted.count == texts.count)
    #expect(Set(sorted) == Set(texts))
  }

  @Test func hostileAuthorsAndUniqueValuesAreStored() throws {
    for text in PostgresInjectionTests.hostile {
      let context = ModelContext(container)
      context.author = text
      context.insert(Group(text))
      try context.save()
      context.insert(Group(text))
      try context.save()
    }
    let context = ModelContext(container)
    #expect(
      try context.fetchCount(FetchDescriptor<Group>()) == PostgresInjectionTests.hostile.count)
    let authors = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .compactMap(\.author)
    #expect(Set(authors) == Set(PostgresInjectionTests.hostile))
    #expect(try context.fetchCount(FetchDescriptor<Victim>()) == 0)
  }

  /// A table of the same name, which another role has put into a schema before that of the store.
  @Test func aTableOfAnotherSchemaIsNotUsedForOneOfTheStore() throws {
    let context = ModelContext(container)
    context.insert(Victim("mine"))
    try context.save()
    let schema = try #require(address.split(separator: "search_path=").last?.dropLast())
    let other = "before_\(schema)"
    let connection = try PostgresConnection(ConnectionParameters(address))
    try connection.execute(
      "CREATE SCHEMA \(other); CREATE TABLE \(other).\"ZVICTIM\" (LIKE \(schema).\"ZVICTIM\")")
    let shadowed = address.replacing("search_path=", with: "search_path=\(other),")
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Select.self, Group.self, Victim.self,
        configurations: PostgresConfiguration(url: shadowed))
    }
    #expect(try connection.prepare("SELECT count(*) FROM \(schema).\"ZVICTIM\"").integer() == 1)
    #expect(try connection.prepare("SELECT count(*) FROM \(other).\"ZVICTIM\"").integer() == 0)
  }
}

/// Passwords appear nowhere.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresSecretTests {
  private static let secret = "hunter2-\(UUID().uuidString)"

  /// All texts that a program may log of a value.
  private func texts(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text + "\(value)" + String(reflecting: value)
      + Mirror(reflecting: value).children.map { "\($0)" }.joined()
  }

  private func error(_ url: String) throws -> String {
    do {
      _ = try ModelContainer(for: Victim.self, configurations: PostgresConfiguration(url: url))
      Issue.record("connected")
      return ""
    } catch {
      return texts(error) + "\((error as NSError).userInfo)" + error.localizedDescription
    }
  }

  @Test func configurationsAndCopiesDoNotShowThePassword() throws {
    let secret = PostgresSecretTests.secret
    for url in [
      "postgresql://ann:\(secret)@host/db", "postgresql://host/db?user=ann&password=\(secret)",
      "host=h user=ann password='\(secret)' dbname=db sslpassword=\(secret)",
    ] {
      let configuration = try PostgresConfiguration(url: url)
      #expect(!texts(configuration).contains(secret))
      #expect(!texts([configuration]).contains(secret))
      let copy = StoreCopy(from: .file(URL(filePath: "/tmp/x")), to: try .database(url))
      #expect(!texts(copy).contains(secret))
      #expect(!texts(copy.target).contains(secret))
    }
  }

  @Test func errorsOfMalformedAddressesDoNotShowThePassword() {
    let secret = PostgresSecretTests.secret
    for url in [
      "postgresql://ann:\(secret)/@host/db", "postgresql://ann:\(secret)#@host/db",
      "password=\(secret) host", "password='\(secret)", "postgresql://ann@host:\(secret)/db",
      "postgresql://ann:\(secret)@host/db?nonsense=1",
    ] {
      do {
        _ = try PostgresConfiguration(url: url)
        Issue.record("accepted")
      } catch {
        #expect(!texts(error).contains(secret))
      }
    }
  }

  @Test func errorsOfServersDoNotShowThePassword() throws {
    let secret = PostgresSecretTests.secret
    let socket = try PostgresServer.shared.socketFolder
    let refused = try error("host=\(socket) user=nobody password=\(secret) dbname=protected")
    #expect(!refused.isEmpty && !refused.contains(secret))
    let missing = try error("host=/nowhere user=ann password=\(secret) dbname=db")
    #expect(missing.contains("/nowhere") && !missing.contains(secret))
  }

  @Test func aPasswordFileWorksAndIsNotShown() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let secret = PostgresSecretTests.secret
    let admin = try server.connect()
    try admin.execute("CREATE ROLE filer LOGIN PASSWORD '\(secret)'")
    try admin.execute("CREATE DATABASE protected OWNER filer")
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "pass-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "pgpass")
    try Data("*:*:*:filer:\(secret)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let address =
      "host=\(server.socketFolder) user=filer dbname=protected passfile=\(file.path)"
    let configuration = try PostgresConfiguration(url: address)
    let container = try ModelContainer(for: Victim.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Victim("in"))
    try context.save()
    #expect(!texts(configuration).contains(secret))
    try Data("*:*:*:filer:\(secret)x\n".utf8).write(to: file)
    let refused = try error(address)
    #expect(refused.contains("filer") && !refused.contains(secret))
  }

  /// Errors of values and constraints have names, but no values.
  @Test func errorsDoNotShowStoredValues() throws {
    let container = try ModelContainer(
      for: Select.self, Group.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
    let context = ModelContext(container)
    let value = "private-value"
    let (first, second) = (Group(value), Group("other"))
    context.insert(first)
    context.insert(second)
    try context.save()
    second.primary = value
    do {
      try context.save()
      Issue.record("saved")
    } catch {
      #expect("\(error)".contains("primary"))
      #expect(!"\(error)".contains(value))
    }
    context.rollback()
    first.primary = value + "\0"
    do {
      try context.save()
      Issue.record("saved")
    } catch {
      #expect(!"\(error)".contains(value))
    }
  }
}
