import Foundation
import SwiftData
import Testing

@Suite(.databases) struct EnumerationTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private func filled(_ count: Int) throws -> ModelContext {
    let context = try Graph.context()
    for index in 0..<count { context.insert(Child(String(format: "%03d", index))) }
    try context.save()
    return ModelContext(context.container)
  }

  private var sorted: FetchDescriptor<Child> { FetchDescriptor(sortBy: [SortDescriptor(\.name)]) }

  @Test func enumerateVisitsAllInOrderInBatches() throws {
    let context = try filled(25)
    var names: [String] = []
    try context.enumerate(sorted, batchSize: 10) { names.append($0.name) }
    #expect(names == (0..<25).map { String(format: "%03d", $0) })
    var limited = sorted
    limited.fetchLimit = 3
    limited.fetchOffset = 20
    names = []
    try context.enumerate(limited) { names.append($0.name) }
    #expect(names == ["020", "021", "022"])
  }

  @Test func enumerateRefusesEscapingMutationsUnlessAllowed() throws {
    let context = try filled(3)
    #expect(throws: SwiftDataError.self) {
      try context.enumerate(sorted) { $0.name += "!" }
    }
    context.rollback()
    try context.enumerate(sorted, allowEscapingMutations: true) { $0.name += "!" }
    try context.save()
    #expect(try context.stored(Child.self).allSatisfy { $0.name.hasSuffix("!") })
    try context.enumerate(sorted) {
      $0.name += "?"
      try context.save()
    }
    #expect(try context.stored(Child.self).allSatisfy { $0.name.hasSuffix("!?") })
  }

  @Test func anErrorOfTheBlockEndsTheEnumeration() throws {
    struct Stop: Error {}
    let context = try filled(5)
    var visited = 0
    #expect(throws: Stop.self) {
      try context.enumerate(sorted, batchSize: 2) { _ in
        visited += 1
        if visited == 3 { throw Stop() }
      }
    }
    #expect(visited == 3)
  }

  @Test func batchesAreReadWhenTouched() throws {
    let context = try filled(25)
    let results = try context.fetch(sorted, batchSize: 10)
    #expect(results.count == 25)
    #expect(results[12].name == "012")
    #expect(results.map(\.name).last == "024")
    #expect(results.first === results[0])
    let identifiers = try context.fetchIdentifiers(sorted, batchSize: 10)
    #expect(identifiers.count == 25)
    #expect(identifiers[3] == results[3].persistentModelID)
  }

  @Test func batchesRefuseToMergePendingChanges() throws {
    let context = try filled(2)
    context.insert(Child("new"))
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      _ = try context.fetch(sorted, batchSize: 10)
    }
    var stored = sorted
    stored.includePendingChanges = false
    #expect(try context.fetch(stored, batchSize: 10).count == 2)
    #expect(try context.fetchIdentifiers(stored, batchSize: 10).count == 2)
  }

  @Test func modelForAnUnknownIdentifierIsDeleted() throws {
    let context = try filled(1)
    let known = try #require(try context.fetchIdentifiers(sorted).first)
    let unknown = try PersistentIdentifier.identifier(
      for: #require(known.storeIdentifier), entityName: "Child", primaryKey: "p999")
    let shell = context.model(for: unknown)
    #expect(shell.persistentModelID == unknown)
    #expect((shell as? Child)?.name == "")
    #expect((shell as? Child)?.parent == nil)
    #expect((shell as? Child)?.toys?.isEmpty != false)
    #expect(shell.isDeleted)
    let alien = try PersistentIdentifier.identifier(
      for: "elsewhere", entityName: "NoSuchEntity", primaryKey: 7)
    #expect(context.model(for: alien).isDeleted)
  }

  @Test func modelForADeletedIdentifierIsDeleted() throws {
    let context = try filled(1)
    let child = try #require(try context.fetch(sorted).first)
    let id = child.persistentModelID
    context.delete(child)
    #expect(context.model(for: id) === child)
    try context.save()
    let again = context.model(for: id)
    _ = (again as? Child)?.name
    #expect(again.isDeleted)
    #expect(try context.fetchCount(sorted) == 0)
  }

  @Test func modelForFaultsARowIn() throws {
    let context = try filled(2)
    let ids = try context.fetchIdentifiers(sorted)
    let model = try #require(context.model(for: ids[1]) as? Child)
    #expect(model.name == "001")
    model.name = "edited"
    try context.save()
    #expect(try context.stored(Child.self).contains { $0.name == "edited" })
  }

  @Test func registeredModelLooksInMemoryOnly() throws {
    let context = try filled(1)
    let id = try #require(try context.fetchIdentifiers(sorted).first)
    let none: Child? = context.registeredModel(for: id)
    #expect(none == nil)
    let child = try #require(try context.fetch(sorted).first)
    let some: Child? = context.registeredModel(for: id)
    #expect(some === child)
    let wrong: Parent? = context.registeredModel(for: id)
    #expect(wrong == nil)
  }
}
