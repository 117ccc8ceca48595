import Foundation
import SwiftData
import Testing

/// A macro as another library has it: it adds nothing, and a tool of that library reads it.
@attached(peer)
private macro NotExport() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransientPropertyMacro")

private enum Exports {
  @Model final class Shelf {
    @NotExport var label = ""
    @NotExport @Attribute(.unique) var number: Int
    @Attribute(.externalStorage)
    @NotExport var scan: Data?
    @Relationship(inverse: \Jar.shelf) @NotExport var jars: [Jar] = []

    init(number: Int) { self.number = number }
  }

  @Model class Jar {
    @NotExport var content: String
    @NotExport let weight: Int
    var shelf: Shelf?

    init(content: String, weight: Int) {
      self.content = content
      self.weight = weight
    }
  }
}

/// Attributes of other libraries on properties of models.
@Suite struct ForeignMacroTests {
  @Test func propertiesWithMacrosOfOtherLibrariesArePersisted() throws {
    let container = try ModelContainer(
      for: Exports.Shelf.self, Exports.Jar.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let shelf = Exports.Shelf(number: 3)
    shelf.label = "top"
    shelf.scan = Data([1, 2])
    context.insert(shelf)
    shelf.jars = [Exports.Jar(content: "salt", weight: 5)]
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<Exports.Shelf>(predicate: #Predicate { $0.label == "top" }))
    #expect(stored.map(\.number) == [3])
    #expect(stored.first?.scan == Data([1, 2]))
    #expect(stored.first?.jars.map(\.content) == ["salt"])
    #expect(stored.first?.jars.map(\.weight) == [5])
  }
}
