import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite struct ContentsTests {
  private static let expected = """
    {
      "Stop": [
        {"id": "1", "place": "Alfama", "trip": "1"},
        {"id": "2", "place": "Belém", "trip": "1"}
      ],
      "Trip": [
        {"id": "1", "name": "Lisbon", "start": "2026-05-01T00:00:00Z", "stops": ["1", "2"]},
        {"id": "2", "name": "Faro", "start": null, "stops": []}
      ]
    }
    """

  @Test(arguments: TemporaryContainer.Storage.both)
  func theContentsAreASeed(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage,
      seed: Seed(json: Data(ContentsTests.expected.utf8)))
    #expect(try temporary.contents() == ContentsTests.expected)
    try expectContents(ContentsTests.expected, in: temporary)
  }

  /// The order of a set differs from process to process, and from one set to an equal one.
  @Test func theTextDoesNotDependOnTheOrderOfASet() throws {
    let temporary = try TemporaryContainer(for: Labelled.self)
    let context = temporary.makeContext()
    context.insert(Labelled(Set((1...40).map { "label \($0 + 10)" })))
    try context.save()
    let labels = (1...40).map { "\"label \($0 + 10)\"" }.joined(separator: ",")
    #expect(try temporary.contents().contains("[\(labels)]"))
    try expectContents(temporary.contents(), in: temporary)
  }

  @Test func theTextDoesNotDependOnKeys() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    let gone = Trip(name: "Nowhere")
    context.insert(gone)
    try context.save()
    context.delete(gone)
    context.insert(Trip(name: "Faro"))
    try context.save()
    try expectContents(
      """
      {
        "Trip": [
          {"id": "1", "name": "Faro", "start": null, "stops": []}
        ]
      }
      """, in: temporary.container)
  }

  @Test func theFailureShowsTheLinesThatDiffer() throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, seed: Seed(json: Data(ContentsTests.expected.utf8)))
    let context = temporary.makeContext()
    try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Faro" }))
      .first?.name = "Tavira"
    try context.save()
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectContents(ContentsTests.expected, in: temporary)
    }
    let text = try #require(failure?.description)
    #expect(
      text.contains("expected the given contents, but the store has others:\n    {\n"), "\(text)")
    #expect(
      text.contains(
        """
          -     {"id": "2", "name": "Faro", "start": null, "stops": []}
          +     {"id": "2", "name": "Tavira", "start": null, "stops": []}
        """), "\(text)")
    #expect(failure?.details.filter { $0.hasPrefix("  ") }.count == 9)
  }

  @Test func valuesOfAllTypesAreReadable() throws {
    let temporary = try TemporaryContainer(for: Sample.self, seed: SeedTests.sample)
    let text = try temporary.contents()
    let again = try TemporaryContainer(
      for: Sample.self, storage: .file, seed: Seed(json: Data(text.utf8)))
    #expect(try again.contents() == text)
    #expect(text.contains(#""text": "Ølå \"quoted\"", "int": -3, "small": -128"#), "\(text)")
    #expect(text.contains(#""double": "inf""#), "\(text)")
    #expect(
      text.contains(#""place": {"latitude":38.7,"name":"Belém","since":"2001-01-02T00:00:00Z"}"#),
      "\(text)")
  }

  @Test func subclassesAreListedUnderTheirOwnEntity() throws {
    let temporary = try TemporaryContainer(
      for: Animal.self, Dog.self, Owner.self,
      seed: """
        {
          "Owner": [{"id": "o", "email": "a@example.org", "animals": ["cat", "dog"]}],
          "Animal": [{"id": "cat", "name": "Tom"}],
          "Dog": [{"id": "dog", "name": "Rex"}]
        }
        """)
    try expectContents(
      """
      {
        "Animal": [
          {"id": "1", "name": "Tom", "owner": "1"}
        ],
        "Dog": [
          {"id": "2", "name": "Rex", "owner": "1", "trick": null}
        ],
        "Owner": [
          {"id": "1", "email": "a@example.org", "animals": ["1", "2"], "friends": [], "friendOf": []}
        ]
      }
      """, in: temporary)
  }
}

@Model private final class Labelled {
  var labels: Set<String>

  init(_ labels: Set<String>) { self.labels = labels }
}
