import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

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

  /// A fetch has dropped the list that the observers have read, so the context does not know its members.
  @Test(arguments: ChangedLists.Deletion.allCases, [false, true])
  func observersOfAListThatIsNotInMemoryAreTold(
    _ deletion: ChangedLists.Deletion, isOwn: Bool
  ) throws {
    let context = ModelContext(try ChangedLists.memory())
    let order = try ChangedLists.order(try #require(deletion.owners.min()), in: context)
    let before = count(order)
    let isTold = try isTold(of: { count(order) }) {
      _ = try context.fetch(FetchDescriptor<Order>())
      try deletion.perform(in: isOwn ? context : ModelContext(context.container))
      context.processPendingChanges()
    }
    #expect(isTold && count(order) == before - 1)
  }

  @Test(arguments: [false, true]) func observersOfAListThatIsNotInMemoryAreToldOfAMergedModel(
    _ isOwn: Bool
  ) throws {
    let context = ModelContext(try ChangedLists.memory())
    let order = try ChangedLists.order(1, in: context)
    let isTold = try isTold(of: { order.lines.count }) {
      _ = try context.fetch(FetchDescriptor<Order>())
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
