import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// Types with a raw value that encode something else.
@Suite struct OwnRawValueTests {
  /// Encoded as an object, as the compiler writes it for a generic raw value.
  struct Tag<Owner, RawValue: Codable & Hashable & Sendable>: RawRepresentable, Codable, Hashable,
    Sendable
  {
    var rawValue: RawValue
  }

  /// Encoded as another text.
  enum Kind: String, Codable {
    case a, b

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let kind = ["AAA": Kind.a, "BBB": .b][text] else {
        throw CocoaError(.coderInvalidValue)
      }
      self = kind
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self == .a ? "AAA" : "BBB")
    }
  }

  @Model final class Mail {
    var uid: Tag<Mail, Int>
    var answers: Tag<Mail, Int>?
    var kind: Kind
    var kinds: [Kind]

    init(_ number: Int, _ kind: Kind) {
      (uid, self.kind, kinds) = (Tag(rawValue: number), kind, [kind])
      answers = number == 0 ? nil : Tag(rawValue: 0)
    }
  }

  private func check(_ container: () throws -> ModelContainer) throws {
    let context = ModelContext(try container())
    context.insert(Mail(0, .a))
    context.insert(Mail(1, .b))
    try context.save()
    let read = try ModelContext(container()).fetch(
      FetchDescriptor<Mail>(sortBy: [SortDescriptor(\.uid.rawValue)]))
    #expect(read.map(\.uid.rawValue) == [0, 1] && read.map(\.kind) == [.a, .b])
    #expect(read.map(\.answers?.rawValue) == [nil, 0] && read.map(\.kinds) == [[.a], [.b]])
    let (one, kind) = (Tag<Mail, Int>(rawValue: 1), Kind.a)
    let found = FetchDescriptor<Mail>(
      predicate: #Predicate { $0.uid == one && $0.answers != nil || $0.kinds.contains(kind) })
    #expect(try context.fetchCount(found) == 2)
  }

  @Test func theyAreSavedInADocument() throws {
    let folder = try Folder()
    try check {
      try ModelContainer(for: Mail.self, configurations: JSONStoreConfiguration(url: folder.file))
    }
  }

  @Test func theyAreSavedInMemory() throws {
    let container = try ModelContainer(
      for: Mail.self, configurations: DictionaryStoreConfiguration("mails"))
    try check { container }
  }

  /// A person may write a value as the type encodes it.
  @Test func theEncodedFormIsReadToo() throws {
    let folder = try Folder()
    let container = { try folder.context(Schema([Mail.self])) }
    let context = try container()
    context.insert(Mail(3, .b))
    try context.save()
    let text = try String(contentsOf: folder.file, encoding: .utf8)
      .replacing("\"kind\": \"b\"", with: "\"kind\": \"AAA\"")
      .replacing("\"uid\": 3", with: "\"uid\": {\"rawValue\": 4}")
    try text.write(to: folder.file, atomically: true, encoding: .utf8)
    let read = try #require(try container().fetch(FetchDescriptor<Mail>()).first)
    #expect(read.kind == .a && read.uid.rawValue == 4)
    let wrong = text.replacing("\"rawValue\": 4", with: "\"rawValue\": {}")
    try wrong.write(to: folder.file, atomically: true, encoding: .utf8)
    #expect(throws: DocumentStoreError.self) { try container().fetch(FetchDescriptor<Mail>()) }
  }

  @Test func snapshotsAreDecodedAsTheyWereEncoded() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Mail.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Mail(1, .b))
    try context.save()
    let mail = try #require(try context.fetch(FetchDescriptor<Mail>()).first)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(from: mail.persistentBackingData, relatedBackingDatas: &related)
    let decoded = try JSONDecoder().decode(
      DefaultSnapshot.self, from: JSONEncoder().encode(snapshot))
    #expect(try decoded.values() == snapshot.values())
  }
}
