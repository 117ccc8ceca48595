import SwiftData
import Testing

/// An optional to-many reads as a list at each station of its model's life.
@Suite(.databases) struct OptionalToManyTests {
  @Model final class Box {
    var name: String
    @Relationship(inverse: \Thing.box) var things: [Thing]?

    init(_ name: String) { self.name = name }
  }

  @Model final class Thing {
    var name: String
    var box: Box?

    init(_ name: String) { self.name = name }
  }

  @Model final class Shelf {
    var boxes: Set<Box>?

    init() {}
  }

  @Test func anOptionalSetIsRefused() {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Shelf.self, Box.self, Thing.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error?.entity == "Shelf" && error?.property == "boxes")
    #expect(error?.description.contains("Declare the property as [Box]?") == true)
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Box.self, Thing.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func oneThatWasNeverSetIsEmptyThroughout() throws {
    let context = try context()
    let box = Box("a")
    #expect(box.things == [])
    #expect(box.getValue(forKey: \.things) == [])
    context.insert(box)
    #expect(box.things == [])
    try context.save()
    #expect(box.things == [])
    box.things = nil
    #expect(box.things == [])
    try context.save()
    let reader = ModelContext(context.container)
    let other = try #require(try reader.fetch(FetchDescriptor<Box>()).first)
    #expect(other.things == [])
  }

  @Test func settingNilRemovesTheMembers() throws {
    let context = try context()
    let box = Box("a")
    context.insert(box)
    box.things?.append(Thing("t"))
    try context.save()
    box.things = nil
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Thing>()).map(\.box) == [nil])
  }

  @Test func membersAreAppendedBeforeTheInsertion() throws {
    let context = try context()
    let box = Box("a")
    box.things?.append(Thing("t"))
    context.insert(box)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Thing>()).map(\.box) == [box])
  }

  @Test func anEmptyListStandsInForNilInPredicates() throws {
    let court = try PredicateCourt(types: [Box.self, Thing.self]) { context in
      for (index, name) in ["a", "b", "c"].enumerated() {
        let box = Box(name)
        context.insert(box)
        box.things = index == 2 ? nil : (0...index).map { Thing("\(name)\($0)") }
      }
      try context.save()
    }
    try court.judgeNarrowing(#Predicate<Box> { ($0.things ?? []).contains { $0.name == "b1" } })
    try court.judgeNarrowing(#Predicate<Box> { !($0.things ?? []).contains { $0.name == "b1" } })
    try court.judgeNarrowing(#Predicate<Box> { ($0.things ?? []).count > 1 })
    try court.judgeNarrowing(#Predicate<Box> { ($0.things ?? []).isEmpty })
    try court.judgeNarrowing(
      #Predicate<Box> { ($0.things ?? []).filter { $0.name.hasSuffix("0") }.count == 1 })
    let thing = try #require(try court.context.fetch(FetchDescriptor<Thing>()).first)
    try court.judgeNarrowing(#Predicate<Box> { ($0.things ?? []).contains(thing) })
    let boxless = #Predicate<Thing> { ($0.box?.things ?? []).isEmpty }
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: boxless)) == 0)
    #expect(try boxless.evaluate(Thing("d")))
    // Models after ?? cannot be part of a predicate.
    let things = [thing]
    let others = #Predicate<Thing> { ($0.box?.things ?? things).isEmpty }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try others.evaluate(Thing("d")) }
  }

  @Test func predicatesAgreeWithIt() throws {
    let context = try context()
    let isNil = #Predicate<Box> { $0.things == nil }
    let isEmpty = #Predicate<Box> { $0.things?.isEmpty == true }
    let box = Box("a")
    #expect(try !isNil.evaluate(box) && isEmpty.evaluate(box))
    context.insert(box)
    for _ in 0..<2 {
      #expect(try context.fetchCount(FetchDescriptor(predicate: isNil)) == 0)
      #expect(try context.fetchCount(FetchDescriptor(predicate: isEmpty)) == 1)
      try context.save()
    }
  }
}
