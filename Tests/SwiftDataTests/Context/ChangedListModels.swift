import Foundation
import SwiftData
import Testing

/// Lists change through other rows: their members are deleted, or become members of another list. The owners
/// count as changed.
enum ChangedLists {
  @Model final class Order {
    @Attribute(.unique) var code: Int
    var total = 0
    @Relationship(deleteRule: .cascade, inverse: \Line.order) var lines: [Line] = []
    var tags: [Tag] = []
    @Relationship var labels: [Label] = []

    init(_ code: Int) { self.code = code }
  }

  @Model final class Line {
    @Attribute(.unique) var code: Int
    var order: Order?

    init(_ code: Int, _ order: Order? = nil) {
      self.code = code
      self.order = order
    }
  }

  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Order.tags) var orders: [Order] = []

    init(_ name: String) { self.name = name }
  }

  /// No inverse: the owner's key is a column of the label.
  @Model final class Label {
    var name: String

    init(_ name: String) { self.name = name }
  }

  /// Two orders. The first has two lines, both have the tag, the second has the label.
  static func container(_ configuration: ModelConfiguration) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Order.self, Line.self, Tag.self, Label.self, configurations: configuration)
    let context = ModelContext(container)
    let orders = [Order(1), Order(2)]
    for order in orders { context.insert(order) }
    orders[0].lines = [Line(1), Line(2)]
    let tag = Tag("t")
    for order in orders { order.tags = [tag] }
    orders[1].labels = [Label("l")]
    try context.save()
    return container
  }

  static func memory() throws -> ModelContainer {
    try container(ModelConfiguration(isStoredInMemoryOnly: true))
  }

  static func order(_ code: Int, in context: ModelContext) throws -> Order {
    try #require(
      try context.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.code == code })).first)
  }

  static func line(_ code: Int, in context: ModelContext) throws -> Line {
    try #require(
      try context.fetch(FetchDescriptor<Line>(predicate: #Predicate { $0.code == code })).first)
  }

  /// What a context does to the first line, or to the tag or the label.
  enum Deletion: CaseIterable {
    case line, lineOfEditedOrder, lineThenEdit, editThenLine, batch, editThenBatch, transaction,
      tag,
      label

    func perform(in context: ModelContext) throws {
      func edit() throws {
        for code in 1...2 { try ChangedLists.order(code, in: context).total += 1 }
      }
      func delete() throws { context.delete(try ChangedLists.line(1, in: context)) }
      func deleteBatch() throws {
        try context.delete(model: Line.self, where: #Predicate { $0.code == 1 })
      }
      switch self {
      case .line: try delete()
      case .lineOfEditedOrder:
        try edit()
        try delete()
      case .lineThenEdit:
        try delete()
        try context.save()
        try edit()
      case .editThenLine:
        try edit()
        try context.save()
        try delete()
      case .batch: try deleteBatch()
      case .editThenBatch:
        try edit()
        try context.save()
        try deleteBatch()
      case .transaction:
        try context.transaction {
          try edit()
          try delete()
        }
      case .tag: context.delete(try #require(try context.fetch(FetchDescriptor<Tag>()).first))
      case .label: context.delete(try #require(try context.fetch(FetchDescriptor<Label>()).first))
      }
      if context.hasChanges { try context.save() }
    }

    /// The codes of the orders whose lists lose a member.
    var owners: Set<Int> {
      switch self {
      case .tag: [1, 2]
      case .label: [2]
      default: [1]
      }
    }
  }
}
