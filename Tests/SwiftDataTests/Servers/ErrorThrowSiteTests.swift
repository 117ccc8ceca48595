import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Reasons of errors from single places of the library, beside those of `ErrorReasonTests`.
@Suite struct ErrorThrowSiteTests {
  @Model final class Cup {
    var name: String
    @Relationship(inverse: \Lid.cup) var lid: Lid?

    init(name: String) { self.name = name }
  }

  @Model final class Lid {
    var name: String
    @Relationship var cup: Cup

    init(name: String, cup: Cup) { (self.name, self.cup) = (name, cup) }
  }

  @Model class Area {
    @Attribute(.unique) var code: String

    init(code: String) { self.code = code }
  }

  @Model final class Land: Area {
    var capital = ""

    override init(code: String) { super.init(code: code) }
  }

  @Model final class Sea: Area {
    var depth = 0

    override init(code: String) { super.init(code: code) }
  }

  /// Encodes itself differently from its properties.
  struct Odd: Codable {
    var text: String

    enum OtherKeys: CodingKey { case another }

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    }

    enum CodingKeys: CodingKey { case text }

    func encode(to encoder: any Encoder) throws {
      if text == "" {
        var container = encoder.container(keyedBy: CodingKeys.self)
        return try container.encode(text, forKey: .text)
      }
      var container = encoder.container(keyedBy: OtherKeys.self)
      try container.encode(text, forKey: .another)
    }
  }

  @Model final class Box {
    var odd: Odd

    init(odd: Odd) { self.odd = odd }
  }

  private func container(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func failure(_ body: () throws -> Void) throws -> SwiftDataError {
    let thrown = thrownError(body)
    let error = try #require(thrown)
    let message = error.publicMessage
    #expect(message.hasSuffix(".") && !message.contains("secret") && !message.contains("/"))
    return error
  }

  @Test func aRequiredModelThatAnotherOneTakes() throws {
    let container = try container(Cup.self, Lid.self)
    let context = ModelContext(container)
    context.insert(Lid(name: "secret", cup: Cup(name: "a")))
    try context.save()
    // The lid that has the cup is not in memory here.
    let other = ModelContext(container)
    let cup = try #require(try other.fetch(FetchDescriptor<Cup>()).first)
    other.insert(Lid(name: "new", cup: cup))
    let error = try failure { try other.save() }
    guard case .requiredValueMissing("Lid", ["cup"]) = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
    #expect(error.publicMessage == "The Lid needs a value for cup.")
  }

  @Test func aUniqueValueOfARowOfAnotherClass() throws {
    let context = ModelContext(try container(Area.self, Land.self, Sea.self))
    let sea = Sea(code: "secret")
    context.insert(sea)
    try context.save()
    context.insert(Land(code: "secret"))
    let error = try failure { try context.save() }
    guard case .uniqueValueTaken("Land", ["code"], let holder) = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
    #expect(holder == sea.persistentModelID)
  }

  @Test func aValueThatEncodesItselfDifferently() throws {
    let context = ModelContext(try container(Box.self))
    let error = try failure {
      context.insert(Box(odd: Odd(text: "secret")))
      try context.save()
    }
    guard case .invalidValue = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
    #expect(error.description.contains("encodes itself differently"))
  }

  @Test func oneOfTwoStoresThatFailsToCommit() throws {
    try #require(FailureInjector.isAvailable)
    func context(_ folder: TemporaryFolder) throws -> ModelContext {
      let container = try ModelContainer(
        for: Schema([Area.self, Cup.self, Lid.self]),
        configurations: ModelConfiguration(
          "areas", schema: Schema([Area.self]), url: folder.url.appending(path: "a.store")),
        ModelConfiguration(
          "cups", schema: Schema([Cup.self, Lid.self]), url: folder.url.appending(path: "b.store")))
      let context = ModelContext(container)
      context.insert(Area(code: "secret"))
      context.insert(Cup(name: "secret"))
      return context
    }
    let (probed, folder) = (try TemporaryFolder(), try TemporaryFolder())
    let probe = FailureInjector(failingAt: nil)
    let first = try context(probed)
    try probe.run { try first.save() }
    let commits = probe.operations.indices.filter { probe.operations[$0] == "COMMIT" }
    let second = try context(folder)
    let error = try failure {
      try FailureInjector(failingAt: commits[1] + 1, .full).run { try second.save() }
    }
    guard case .partiallySaved(committedStores: ["areas"]) = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
  }

  @Test func aTokenBeforeADeletedPartOfTheHistory() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Area.self, configurations: ModelConfiguration(url: folder.store)))
    for number in 0..<3 {
      context.insert(Area(code: "\(number)"))
      try context.save()
    }
    let tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(
      \.token)
    let (first, second) = (tokens[0], tokens[1])
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
    let error = try failure {
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first }))
    }
    guard case .historyExpired = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
  }

  @Test(
    arguments: [
      (.folder, "unavailable"), (.notAFile, "unavailable"), (.unreadable, "unavailable"),
      (.unreadableLog, "unavailable"), (.notADatabase, "storeDamaged"),
      (.damagedHeader, "storeDamaged"), (.truncated(pages: 1, of: 2), "storeDamaged"),
      (.emptyBesideLog, "storeDamaged"), (.foreignLog, "storeDamaged"),
      (.foreignJournal, "storeDamaged"), (.newerFormat, "schemaMismatch"),
      (.newerLog, "schemaMismatch"), (.unfinishedTransaction, "readOnly"),
      (.unwritableFile, "readOnly"), (.unwritableFolder, "readOnly"),
    ] as [(DatabaseFileProblem, String)])
  func problemsOfFiles(_ problem: DatabaseFileProblem, _ name: String) {
    #expect("\(problem.reason)" == name)
  }

  @Test(arguments: ["folder", "text", "truncated"])
  func filesThatCannotBeOpened(_ kind: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.store
    var expected = "storeDamaged"
    switch kind {
    case "folder":
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      expected = "unavailable"
    case "text": try Data("secret".utf8).write(to: url)
    default:
      try Office.fill(url, people: 200)
      let whole = try Data(contentsOf: url)
      try whole.prefix(whole.count / 2).write(to: url)
    }
    let error = try failure { _ = try Office.container(url) }
    #expect("\(error.reason)" == expected, "\(error)")
  }
}
