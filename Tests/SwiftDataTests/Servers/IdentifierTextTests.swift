import Foundation
import SwiftData
import Testing

@Suite struct IdentifierTextTests {
  private typealias Person = Office.Person
  private typealias Desk = Office.Desk

  private func problem(_ body: () throws -> Void) -> SwiftDataError.IdentifierProblem? {
    guard let error = thrownError(body), case .invalidIdentifier(let problem) = error.reason else {
      return nil
    }
    #expect(error == .invalidIdentifier)
    #expect(!error.publicMessage.contains("/"))
    return problem
  }

  @Test func aTextLeadsToItsModelAfterReopening() throws {
    let folder = try TemporaryFolder()
    let text: String
    do {
      let context = ModelContext(try Office.container(folder.store))
      let person = Person(email: "a")
      context.insert(person)
      try context.save()
      text = try person.persistentModelID.urlText
    }
    #expect((18...20).contains(text.count), "\(text)")
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    let container = try Office.container(folder.store)
    #expect(try ModelContext(container).model(Person.self, urlText: text).email == "a")
    #expect(
      try PersistentIdentifier(urlText: text, in: container).urlText == text)
  }

  /// A change of the form would break links that clients have stored.
  @Test func theFormDoesNotChange() throws {
    func text(_ key: String) throws -> String {
      try PersistentIdentifier.identifier(
        for: "6E8C1A52-0C9B-4F9B-9E6B-6E0A4D1F6A11", entityName: "Person", primaryKey: key
      ).urlText
    }
    #expect(try text("p1") == "AcEu1s5CTa4BdLjWDQ")
    #expect(try text("p9223372036854775807") == "AcEu1s5CTa7__________3-0St5p")
    #expect(try text("a/b") == "AsEu1s5CTa5hL2J2P42z")
  }

  @Test(arguments: [1, 127, 128, 16_383, 16_384, .max, 0, -1, .min] as [Int64])
  func everyKeyIsRead(_ key: Int64) throws {
    let container = try Office.container()
    let store = try #require(container.storeIdentifier(forConfigurationNamed: "default"))
    let identifier = try PersistentIdentifier.identifier(
      for: store, entityName: "Person", primaryKey: "p\(key)")
    let text = try identifier.urlText
    #expect(try PersistentIdentifier(urlText: text, in: container) == identifier)
    let error = thrownError { _ = try ModelContext(container).model(Person.self, urlText: text) }
    guard case .notFound([identifier])? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// As a custom store may have it, which names its rows by texts.
  @Test func aLongKeyIsRead() throws {
    let container = try Office.container()
    let store = try #require(container.storeIdentifier(forConfigurationNamed: "default"))
    let identifier = try PersistentIdentifier.identifier(
      for: store, entityName: "Person", primaryKey: String(repeating: "k/", count: 4000))
    let text = try identifier.urlText
    #expect(text.count > 10_000)
    #expect(try PersistentIdentifier(urlText: text, in: container) == identifier)
    #expect(
      problem { _ = try PersistentIdentifier(urlText: text + "A", in: container) } == .malformed)
  }

  @Test func anUnsavedModelHasNone() throws {
    let context = ModelContext(try Office.container())
    let person = Person(email: "a")
    context.insert(person)
    #expect(problem { _ = try person.persistentModelID.urlText } == .unsaved)
    let early = person.persistentModelID
    #expect(try context.existingModel(Person.self, for: early) === person)
    try context.save()
    #expect(try early.urlText == person.persistentModelID.urlText)
  }

  @Test func foreignTextsAreRefused() throws {
    let container = try Office.container()
    let context = ModelContext(container)
    let person = Person(email: "a")
    context.insert(person)
    try context.save()
    let text = try person.persistentModelID.urlText
    let elsewhere = ModelContext(try Office.container())
    #expect(problem { _ = try elsewhere.model(Person.self, urlText: text) } == .otherStore)
    #expect(problem { _ = try context.model(Desk.self, urlText: text) } == .otherModel)
    let store = try #require(person.persistentModelID.storeIdentifier)
    let unknown = try PersistentIdentifier.identifier(
      for: store, entityName: "Nobody", primaryKey: "p1"
    ).urlText
    #expect(problem { _ = try context.model(Person.self, urlText: unknown) } == .unknownEntity)
    #expect(
      problem { _ = try elsewhere.existingModel(Person.self, for: person.persistentModelID) }
        == .otherStore)
    let error = thrownError { _ = try context.model(Office.Other.self, urlText: text) }
    #expect(error == .unknownSchema)
  }

  @Test func damagedTextsAreRefused() throws {
    let context = ModelContext(try Office.container())
    let person = Person(email: "a")
    context.insert(person)
    try context.save()
    let text = try person.persistentModelID.urlText
    let damaged =
      ["", " ", "=", "AQ", "%00", "é", "👍", text + "A", text + "=", " " + text, text + "\n", "p1"]
      + (0..<text.count).map { String(text.prefix($0)) }
      + [text.uppercased(), String(text.reversed()), String(repeating: "A", count: 5000)]
    for text in damaged {
      #expect(
        problem { _ = try context.model(Person.self, urlText: text) } == .malformed, "\(text)")
    }
  }

  /// No change of a text is taken for another model.
  @Test func changedTextsAreNeverOthers() throws {
    let container = try Office.container()
    let context = ModelContext(container)
    for number in 0..<300 { context.insert(Person(email: "\(number)")) }
    context.insert(Desk(room: "a", number: 1))
    try context.save()
    let texts = try context.fetch(FetchDescriptor<Person>()).map {
      try $0.persistentModelID.urlText
    }
    let known = Set(texts)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ é")
    var generator = SplitMix(state: 42)
    var refused = 0
    for _ in 0..<100_000 {
      var characters = Array(texts[Int.random(in: 0..<texts.count, using: &generator)])
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 0..<characters.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: characters.remove(at: index)
        case 1: characters.insert(alphabet.randomElement(using: &generator) ?? "A", at: index)
        case 2: characters.swapAt(index, Int.random(in: 0..<characters.count, using: &generator))
        default: characters[index] = alphabet.randomElement(using: &generator) ?? "A"
        }
      }
      let text = String(characters)
      if known.contains(text) { continue }
      if problem({ _ = try PersistentIdentifier(urlText: text, in: container) }) != nil {
        refused += 1
      } else {
        Issue.record("\(text) was accepted")
      }
    }
    #expect(refused > 90_000)
  }

  @Test func deletedModelsAreNotFound() throws {
    let container = try Office.container()
    let context = ModelContext(container)
    let person = Person(email: "a")
    context.insert(person)
    try context.save()
    let text = try person.persistentModelID.urlText
    context.delete(person)
    #expect(thrownError { _ = try context.model(Person.self, urlText: text) } == .modelNotFound)
    let other = ModelContext(container)
    #expect(try other.model(Person.self, urlText: text).email == "a")
    try context.save()
    #expect(thrownError { _ = try other.model(Person.self, urlText: text) } == .modelNotFound)
    #expect(thrownError { _ = try context.model(Person.self, urlText: text) } == .modelNotFound)
  }

  @Test func unsavedValuesStay() throws {
    let context = ModelContext(try Office.container())
    let person = Person(email: "a")
    context.insert(person)
    try context.save()
    person.name = "new"
    let found = try context.existingModel(Person.self, for: person.persistentModelID)
    #expect(found === person && found.name == "new")
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
