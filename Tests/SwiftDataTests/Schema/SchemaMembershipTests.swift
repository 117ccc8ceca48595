import Foundation
import SwiftData
import Testing

/// Classes that are no models of a schema, and what is said of them.
private enum Kinds {
  @Model class Shape {
    var name: String
    init(name: String) { self.name = name }
  }

  /// Has no `@Model`.
  final class Square: Shape {}

  @Model final class Colour {
    var name: String = ""
    init() {}
  }
}

@Suite struct SchemaMembershipTests {
  private let configuration = ModelConfiguration(isStoredInMemoryOnly: true)

  @Test func aSubclassWithoutTheMacroIsNamed() {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Kinds.Shape.self, Kinds.Square.self, configurations: configuration)
    }
    #expect(error?.entity == "Square")
    #expect(error?.description.contains("Square inherits from the model Shape") == true)
    #expect(error?.description.contains("@Model") == true)
  }

  @Test func aClassThatTheContainerLacksIsToBeAddedToIt() throws {
    let context = ModelContext(
      try ModelContainer(for: Kinds.Shape.self, configurations: configuration))
    context.insert(Kinds.Colour())
    let saving = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    let fetching = #expect(throws: SwiftDataError.unknownSchema) {
      try context.fetch(FetchDescriptor<Kinds.Colour>())
    }
    for error in [saving, fetching] {
      let text = try #require(error?.description)
      #expect(text.contains("Add it to ModelContainer(for:)") && text.contains("Colour"))
      #expect(!text.contains("migration"))
    }
  }
}
