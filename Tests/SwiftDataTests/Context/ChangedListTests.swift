import Foundation
import Observation
import SwiftData
import Synchronization
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

/// Observers of lists in other contexts.
@Suite(.databases) struct ChangedListTests {
  typealias Order = ChangedLists.Order
  typealias Line = ChangedLists.Line

  /// Whether observers of what `read` reads are told of a change.
  private func isTold(of read: () -> Int, by change: () throws -> Void) throws -> Bool {
    let told = Mutex(false)
    _ = withObservationTracking(read) { told.withLock { $0 = true } }
    try change()
    return told.withLock { $0 }
  }

  private func count(_ order: Order) -> Int {
    order.lines.count + order.tags.count + order.labels.count
  }

  @Test(arguments: ChangedLists.Deletion.allCases, [1, 2])
  func observersOfAnotherContextAreToldOfADeletedMember(
    _ deletion: ChangedLists.Deletion, code: Int
  ) throws {
    let container = try ChangedLists.memory()
    let context = ModelContext(container)
    let order = try ChangedLists.order(code, in: context)
    let before = count(order)
    let isTold = try isTold(of: { count(order) }) {
      try deletion.perform(in: ModelContext(container))
      context.processPendingChanges()
    }
    let isOwner = deletion.owners.contains(code)
    #expect(isTold || !isOwner)
    #expect(count(order) == before - (isOwner ? 1 : 0))
  }

  /// So many owners are not listed one by one.
  @Test func observersAreToldIfManyListsLoseMembers() throws {
    let container = try ChangedLists.memory()
    let context = ModelContext(container)
    for code in 10..<400 {
      let order = Order(code)
      context.insert(order)
      order.lines = [Line(code), Line(-code)]
    }
    try context.save()
    let other = ModelContext(container)
    let order = try ChangedLists.order(300, in: context)
    let isTold = try isTold(of: { order.lines.count }) {
      for line in try other.fetch(FetchDescriptor<Line>(predicate: #Predicate { $0.code >= 10 })) {
        other.delete(line)
      }
      try ChangedLists.order(300, in: other).total = 1
      try other.save()
      context.processPendingChanges()
    }
    #expect(isTold && order.lines.count == 1 && order.total == 1)
  }

  /// A new order takes a line by its unique code, which the context does not know.
  @Test(arguments: [false, true]) func aListLosesAMemberToAMergedModel(_ isOwn: Bool) throws {
    let context = ModelContext(try ChangedLists.memory())
    let order = try ChangedLists.order(1, in: context)
    let isTold = try isTold(of: { order.lines.count }) {
      let saving = isOwn ? context : ModelContext(context.container)
      let new = Order(3)
      saving.insert(new)
      new.lines = [Line(1)]
      try saving.save()
      context.processPendingChanges()
    }
    #expect(isTold && order.lines.map(\.code) == [2])
  }

  /// The new model becomes the stored row, whose members it gets.
  @Test(arguments: [false, true], [0, 1]) func observersOfAMergedModelAreToldOfItsLists(
    _ isKnown: Bool, ownLines: Int
  ) throws {
    let context = ModelContext(try ChangedLists.memory())
    let known = isKnown ? try ChangedLists.order(1, in: context) : nil
    let new = Order(1)
    context.insert(new)
    if ownLines > 0 { new.lines = [Line(9)] }
    let told = Mutex<Set<String>>([])
    func observe(_ name: String, _ read: () -> Int) {
      _ = withObservationTracking(read) { told.withLock { _ = $0.insert(name) } }
    }
    let another = Order(4)
    context.insert(another)
    observe("lines") { new.lines.count }
    observe("tags") { new.tags.count }
    observe("those of a new row") { count(another) }
    try context.save()
    context.processPendingChanges()
    #expect(told.withLock { $0 } == ["lines", "tags"])
    #expect(new.lines.count == 2 + ownLines && new.tags.count == 1)
    withExtendedLifetime(known) {}
  }

  @Test func aDeletionReadsNoOwners() throws {
    let statements = StatementRecorder()
    let container = try statements.container([
      Order.self, Line.self, ChangedLists.Tag.self, ChangedLists.Label.self,
    ])
    let context = ModelContext(container)
    let order = Order(1)
    context.insert(order)
    order.lines = [Line(1), Line(2), Line(3)]
    try context.save()
    let other = ModelContext(container)
    let known = try ChangedLists.order(1, in: other)
    #expect(known.lines.count == 3)
    let line = try ChangedLists.line(1, in: context)
    let read = statements.during {
      context.delete(line)
      try? context.save()
      try? context.delete(model: Line.self, where: #Predicate { $0.code == 2 })
      other.processPendingChanges()
    }
    #expect(!read.contains { $0.sql.hasPrefix("SELECT") && $0.sql.contains("ZTOTAL") })
    #expect(known.lines.map(\.code) == [3] && order.lines.map(\.code) == [3])
  }
}
