import Foundation
import SwiftData
import Testing

private enum Lists {
  @Model final class Item {
    @Attribute(.unique) var code: String
    var name = ""
    @Attribute(.ephemeral) var selection = 0
    @Relationship(inverse: \Cover.item) var cover: Cover?
    @Relationship(inverse: \Part.item) var parts: [Part] = []
    var loose: [Loose] = []
    init(_ code: String) { self.code = code }
  }

  @Model final class Cover {
    @Attribute(.ephemeral) var selection = 0
    var item: Item?
    init() {}
  }

  @Model final class Part {
    @Attribute(.unique) var code: String
    @Attribute(.ephemeral) var selection = 0
    var item: Item?
    init(_ code: String) { self.code = code }
  }

  @Model final class Loose {
    @Attribute(.ephemeral) var selection = 0
    var note: String?
    init() {}
  }

  struct Failure: Error {}
}

/// An ephemeral value stays in the model while it is in memory, whatever a save changes in rows.
@Suite(.databases) struct EphemeralValueTests {
  private let context: ModelContext
  private let items = [Lists.Item("a"), Lists.Item("b")]
  private let covers = [Lists.Cover(), Lists.Cover()]
  private let parts = [Lists.Part("p"), Lists.Part("q")]
  private let loose = Lists.Loose()

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Lists.Item.self, Lists.Loose.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for (item, cover) in zip(items, covers) {
      context.insert(item)
      item.cover = cover
    }
    items[0].parts = parts
    items[0].loose = [loose]
    for (index, item) in items.enumerated() { item.selection = 1 + index }
    for (index, cover) in covers.enumerated() { cover.selection = 3 + index }
    for (index, part) in parts.enumerated() { part.selection = 5 + index }
    loose.selection = 7
    try context.save()
  }

  private var selections: [Int] {
    items.map(\.selection) + covers.map(\.selection) + parts.map(\.selection) + [loose.selection]
  }

  @Test func aCoverMoves() throws {
    items[1].cover = covers[0]
    try context.save()
    #expect(selections == Array(1...7))
    items[0].cover = covers[1]
    try context.save()
    #expect(selections == Array(1...7))
    #expect(items.map { $0.cover === covers[1] } == [true, false])
  }

  @Test func membersMove() throws {
    items[1].parts.append(parts[0])
    items[1].loose.append(loose)
    try context.save()
    #expect(selections == Array(1...7))
    #expect(items.map(\.loose.count) == [0, 1])
  }

  @Test func anUpsertLeavesTheValuesOfBothInstances() throws {
    let new = Lists.Item("a")
    new.name = "new"
    new.selection = 9
    new.cover = Lists.Cover()
    context.insert(new)
    let part = Lists.Part("p")
    part.item = items[1]
    context.insert(part)
    try context.save()
    #expect(items[0].name == "new")
    #expect(selections == Array(1...7))
    #expect(new.selection == 9)
    #expect(parts[0].item === items[1])
    items[0].name = "edited"
    try context.save()
    #expect(new.name == "edited")
    #expect(selections == Array(1...7) && new.selection == 9)
  }

  @Test func aTransactionFails() throws {
    #expect(throws: Lists.Failure.self) {
      try context.transaction {
        items[0].name = "edited"
        items[1].parts.append(parts[0])
        try context.save()
        context.delete(covers[1])
        try context.save()
        throw Lists.Failure()
      }
    }
    #expect(selections == Array(1...7))
    #expect(items[0].name == "")
    #expect(items[1].cover === covers[1])
  }

  @Test func aTransactionThatEditsThemFails() throws {
    #expect(throws: Lists.Failure.self) {
      try context.transaction {
        items[0].selection = 9
        items[0].name = "edited"
        covers[0].selection = 9
        try context.save()
        items[0].selection = 10
        covers[1].selection = 9
        context.delete(covers[1])
        try context.save()
        throw Lists.Failure()
      }
    }
    #expect(selections == Array(1...7))
    try context.transaction {
      items[0].selection = 9
      try context.save()
    }
    #expect(items[0].selection == 9)
  }

  /// A fault with an ephemeral value has no values to be stored again.
  @Test func aRowIsDeletedWhileItsModelIsAFault() throws {
    #expect(throws: Lists.Failure.self) {
      try context.transaction {
        loose.note = "edited"
        try context.save()
        throw Lists.Failure()
      }
    }
    let other = ModelContext(context.container)
    for model in try other.fetch(FetchDescriptor<Lists.Loose>()) { other.delete(model) }
    try other.save()
    _ = try context.fetch(FetchDescriptor<Lists.Item>())
    #expect(loose.selection == 7)
    context.insert(loose)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try other.fetchCount(FetchDescriptor<Lists.Loose>()) == 0)
  }

  @Test func theyStayWhileAPartialFetchReadsANewRow() throws {
    let other = ModelContext(context.container)
    let item = try other.fetch(
      FetchDescriptor<Lists.Item>(sortBy: [SortDescriptor(\.code)]))[0]
    item.name = "other"
    try other.save()
    var descriptor = FetchDescriptor<Lists.Item>(sortBy: [SortDescriptor(\.code)])
    descriptor.propertiesToFetch = [\.name]
    #expect(try context.fetch(descriptor).map(\.name) == ["other", ""])
    #expect(selections == Array(1...7))
  }
}
