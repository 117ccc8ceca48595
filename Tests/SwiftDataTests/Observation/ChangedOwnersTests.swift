import Foundation
import SwiftData
import Testing

/// What is said of models whose lists change through other rows: they are updated.
@MainActor
@Suite(.databases) struct ChangedOwnersTests {
  typealias Order = ChangedLists.Order
  typealias Line = ChangedLists.Line

  private let orders = FetchDescriptor<Order>(sortBy: [SortDescriptor(\.code)])

  /// The codes of the orders that a sequence reports as updated, while a context is changed.
  private func updates(
    in context: ModelContext, loading loads: Bool = false, by change: () throws -> Void
  ) async throws -> Set<Int> {
    var changes = context.changes(of: orders).makeAsyncIterator()
    func next() async throws -> ResultsChangeSequence<Order>.Element {
      try #require(await changes.next(isolation: MainActor.shared))
    }
    let known = try await next().models
    if loads {
      for order in known { _ = order.lines.count + order.tags.count + order.labels.count }
    }
    try change()
    context.processPendingChanges()
    // Ends the wait, if nothing was reported before.
    context.insert(Order(.max))
    var updated: Set<Int> = []
    while true {
      let change = try await next()
      let elements = change.difference.updated.map { change.models[$0.offset].code }
      updated.formUnion(elements)
      if change.models.last?.code == .max { return updated }
    }
  }

  @Test(arguments: ChangedLists.Deletion.allCases, [false, true])
  func ownersOfDeletedMembersAreUpdated(
    _ deletion: ChangedLists.Deletion, isOwn: Bool
  ) async throws {
    for loads in [false, true] {
      let context = ModelContext(try ChangedLists.memory())
      let updated = try await updates(in: context, loading: loads) {
        try deletion.perform(in: isOwn ? context : ModelContext(context.container))
      }
      #expect(updated.isSuperset(of: deletion.owners))
    }
  }

  @Test func otherModelsAreNot() async throws {
    let context = ModelContext(try ChangedLists.memory())
    let updated = try await updates(in: context) {
      context.delete(try ChangedLists.line(1, in: context))
      try context.save()
    }
    #expect(updated == [1])
  }

  @Test func theOwnerOfAMergedMemberIsUpdated() async throws {
    let context = ModelContext(try ChangedLists.memory())
    let updated = try await updates(in: context) {
      let new = Order(3)
      context.insert(new)
      new.lines = [Line(1)]
      try context.save()
    }
    #expect(updated.contains(1) && !updated.contains(2))
  }

  @Test(arguments: [20, 400]) func manyOwnersAreUpdated(_ count: Int) async throws {
    let container = try ChangedLists.memory()
    let context = ModelContext(container)
    for code in 100..<100 + count { context.insert(Line(code, Order(code))) }
    try context.save()
    let updated = try await updates(in: ModelContext(container)) {
      for line in try context.fetch(FetchDescriptor<Line>(predicate: #Predicate { $0.code >= 100 }))
      {
        context.delete(line)
      }
      try context.save()
    }
    #expect(updated.isSuperset(of: 100..<100 + count))
  }
}
