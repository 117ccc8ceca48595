import Foundation
import SwiftData
import Testing

/// Sequences of differences: what each says leads from the value before to the next one.
@MainActor
@Suite(.databases) struct ResultsChangeSequenceTests {
  typealias Task = ResultsPatchTests.Task

  private let container: ModelContainer
  private let context: ModelContext
  private let order = FetchDescriptor<Task>(
    predicate: #Predicate { $0.rank >= 0 }, sortBy: [SortDescriptor(\.rank)])

  init() throws {
    container = try ModelContainer(
      for: Task.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for number in 0..<10 { context.insert(Task("task \(number)", number * 10)) }
    try context.save()
  }

  private func next(
    _ changes: inout ResultsChangeSequence<Task>.AsyncIterator
  ) async throws -> ResultsChangeSequence<Task>.Element {
    let change = await changes.next(isolation: MainActor.shared)
    return try #require(change)
  }

  @Test func eachChangeNamesWhatItDid() async throws {
    var changes = context.changes(of: order).makeAsyncIterator()
    let first = try await next(&changes)
    #expect(first.difference.inserted.count == 10 && first.models.count == 10)
    let tasks = first.models
    tasks[2].note = "read by no request"
    tasks[4].rank = 75
    context.delete(tasks[6])
    tasks[9].rank = -1
    let new = Task("new", 5)
    context.insert(new)
    let second = try await next(&changes)
    #expect(second.models.map(\.rank) == [0, 5, 10, 20, 30, 50, 70, 75, 80])
    let difference = second.difference
    #expect(difference.removed.map(\.offset) == [6, 9])
    #expect(difference.inserted.map(\.identifier) == [new.persistentModelID])
    #expect(difference.moved.map(\.source) == [4] && difference.moved[0].destination == 7)
    #expect(difference.updated.map(\.offset) == [3, 7])
    // The new model has another identifier from the save on.
    let temporary = new.persistentModelID
    try context.save()
    let third = try await next(&changes)
    #expect(third.difference.removed.map(\.identifier) == [temporary])
    #expect(third.difference.inserted.map(\.identifier) == [new.persistentModelID])
    #expect(third.difference.updated.isEmpty && third.difference.moved.isEmpty)
  }

  @Test func savesOfOthersNameWhatTheyChanged() async throws {
    var changes = context.changes(of: order).makeAsyncIterator()
    let models = try await next(&changes).models
    let other = ModelContext(container)
    let there = try other.fetch(order)
    there[3].note = "theirs"
    other.insert(Task("theirs", 45))
    try other.save()
    let change = try await next(&changes)
    #expect(change.difference.updated.map(\.identifier) == [models[3].persistentModelID])
    #expect(change.difference.inserted.map(\.offset) == [5])
    #expect(models[3].note == "theirs")
    // A model that was edited before is none of the next change.
    models[0].note = "ours"
    #expect(try await next(&changes).difference.updated.map(\.offset) == [0])
    there[4].note = "theirs too"
    try other.save()
    let last = try await next(&changes).difference
    #expect(last.updated.map(\.identifier) == [models[4].persistentModelID])
  }

  @Test func oneDifferenceHasAllThatWasMissed() async throws {
    var changes = context.changes(of: order).makeAsyncIterator()
    let models = try await next(&changes).models
    let shown = models.map(\.persistentModelID)
    models[2].rank = 55
    // The query follows meanwhile.
    try await quietly(.milliseconds(30))
    models[4].rank = 1
    try await quietly(.milliseconds(30))
    context.delete(models[8])
    let change = try await next(&changes)
    #expect(change.difference.applying(to: shown) == change.models.map(\.persistentModelID))
    #expect(change.difference.moved.count == 2 && change.difference.removed.count == 1)
    #expect(change.difference.updated.count == 2)
  }

  @Test func whatCannotBeNamedIsUpdated() async throws {
    for number in 10..<300 { context.insert(Task("task", number * 10)) }
    try context.save()
    var changes = context.changes(of: order).makeAsyncIterator()
    for task in try await next(&changes).models { task.note = "unsaved" }
    _ = try await next(&changes)
    context.rollback()
    let change = try await next(&changes)
    #expect(change.difference.updated.count == 300 && change.difference.moved.isEmpty)
  }

  @Test func aRollbackNamesWhatItRestores() async throws {
    var changes = context.changes(of: order).makeAsyncIterator()
    let models = try await next(&changes).models
    models[0].note = "unsaved"
    models[3].rank = 75
    context.delete(models[6])
    let new = Task("new", 5)
    context.insert(new)
    _ = try await next(&changes)
    context.rollback()
    let change = try await next(&changes)
    #expect(change.models.map(\.rank) == Array(stride(from: 0, to: 100, by: 10)))
    #expect(change.difference.updated.map(\.offset) == [0, 3])
    #expect(change.difference.moved.map(\.destination) == [3])
    #expect(change.difference.inserted.map(\.offset) == [6])
    #expect(change.difference.removed.map(\.offset) == [1])
  }

  /// A server does not tell whether others have written before a transaction.
  @Test(.sqliteOnly("transactions"))
  func whatChangesNothingUpdatesNothing() async throws {
    struct Failure: Error {}
    // The first transaction of a context reads all models again.
    try context.transaction {}
    var changes = context.changes(of: order).makeAsyncIterator()
    let models = try await next(&changes).models
    context.rollback()
    #expect(throws: Failure.self) { try context.transaction { throw Failure() } }
    context.insert(Task("unsaved", 25))
    context.rollback()
    models[4].note = "edited"
    let change = try await next(&changes)
    #expect(change.difference.updated.map(\.offset) == [4] && change.difference.inserted.isEmpty)
  }

  /// A server does not tell whether others have written before a transaction.
  @Test(.sqliteOnly("transactions"))
  func aFailedTransactionNamesWhatItHadSaved() async throws {
    struct Failure: Error {}
    try context.transaction {}
    var changes = context.changes(of: order).makeAsyncIterator()
    let models = try await next(&changes).models
    let observer = try ResultsObserver<Task, Never>(fetchDescriptor: order, modelContext: context)
    #expect(throws: Failure.self) {
      try context.transaction {
        models[1].rank = 95
        context.delete(models[2])
        context.insert(Task("new", 5))
        try context.save()
        try context.delete(model: Task.self, where: #Predicate { $0.rank == 40 })
        #expect(observer.results.map(\.rank) == [0, 5, 30, 50, 60, 70, 80, 90, 95])
        models[7].note = "unsaved"
        throw Failure()
      }
    }
    let change = try await next(&changes)
    #expect(change.models.map(\.rank) == Array(stride(from: 0, to: 100, by: 10)))
    #expect(observer.results.map(\.rank) == change.models.map(\.rank))
    #expect(change.difference.inserted.isEmpty && change.difference.removed.isEmpty)
    #expect(change.difference.updated.map(\.offset) == [1, 2, 4, 7])
  }

  @Test func aRefusedSaveUpdatesNothing() async throws {
    typealias Seat = Upserting.Seat
    let context = try Upserting.context()
    context.uniquenessPolicy = .refuse
    for number in 0..<10 { context.insert(Seat("a", number)) }
    try context.save()
    let byNumber = FetchDescriptor<Seat>(
      predicate: #Predicate { $0.guest != "none" }, sortBy: [SortDescriptor(\.number)])
    var changes = context.changes(of: byNumber).makeAsyncIterator()
    let seats = try #require(await changes.next(isolation: MainActor.shared)).models
    seats[2].guest = "Ann"
    context.insert(Seat("a", 3, guest: "none"))
    #expect(throws: SwiftDataError.self) { try context.save() }
    let change = try #require(await changes.next(isolation: MainActor.shared))
    #expect(change.models.count == 10 && change.difference.updated.map(\.offset) == [2])
    context.rollback()
    let rollback = try #require(await changes.next(isolation: MainActor.shared))
    #expect(rollback.difference.updated.map(\.offset) == [2])
    #expect(rollback.difference.inserted.isEmpty)
  }

  @Test func requestsOverRelationshipsNameTheirOwnModels() async throws {
    let descriptor = FetchDescriptor<Task>(
      predicate: #Predicate { $0.parent?.rank == 0 }, sortBy: [SortDescriptor(\.rank)])
    let tasks = try context.fetch(order)
    for task in tasks[1...3] { task.parent = tasks[0] }
    try context.save()
    var changes = context.changes(of: descriptor).makeAsyncIterator()
    _ = try await next(&changes)
    tasks[2].note = "edited"
    let edit = try await next(&changes)
    #expect(edit.difference.updated.map(\.offset) == [1] && edit.difference.inserted.isEmpty)
    tasks[3].parent = nil
    let move = try await next(&changes)
    #expect(move.difference.removed.map(\.offset) == [2] && move.difference.updated.isEmpty)
  }

  /// Another context deletes the related model.
  @Test func aLostReferenceIsAnUpdate() async throws {
    let tasks = try context.fetch(order)
    tasks[1].parent = tasks[0]
    try context.save()
    tasks[2].parent = tasks[0]
    var changes = context.changes(of: order).makeAsyncIterator()
    _ = try await next(&changes)
    let other = ModelContext(container)
    other.delete(try other.fetch(order)[0])
    try other.save()
    let change = try await next(&changes)
    #expect(tasks[1].parent == nil && tasks[2].parent == nil)
    #expect(change.difference.removed.map(\.offset) == [0])
    #expect(change.difference.updated.map(\.identifier) == tasks[1...2].map(\.persistentModelID))
  }

  @Test(arguments: 0..<10) func randomDifferencesLeadToTheNextValue(seed: Int) async throws {
    var random = SeededRandom(UInt64(seed))
    var descriptor = order
    if seed % 2 == 1 { descriptor.fetchLimit = 12 }
    let other = ModelContext(container)
    var changes = context.changes(of: descriptor).makeAsyncIterator()
    var shown: [PersistentIdentifier] = []
    var values: [PersistentIdentifier: String] = [:]
    for _ in 0..<60 {
      let change = try await next(&changes)
      let identifiers = change.models.map(\.persistentModelID)
      #expect(change.difference.applying(to: shown) == identifiers)
      #expect(identifiers == (try context.fetch(descriptor)).map(\.persistentModelID))
      let updated = Set(change.difference.updated.map(\.identifier))
      let now = Dictionary(
        uniqueKeysWithValues: change.models.map {
          ($0.persistentModelID, "\($0.title) \($0.rank) \($0.note)")
        })
      for (identifier, value) in now where values[identifier] ?? value != value {
        #expect(updated.contains(identifier))
      }
      #expect(updated.isSubset(of: identifiers) && updated.isSubset(of: shown))
      (shown, values) = (identifiers, now)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let context = Bool.random(using: &random) ? other : context
        let task = try #require(try context.fetch(order).randomElement(using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: context.delete(task)
        case 1, 2: context.insert(Task("new", Int.random(in: 0..<100, using: &random)))
        case 3: task.note += "."
        default: task.rank = Int.random(in: 0..<100, using: &random)
        }
        if context === other || Bool.random(using: &random) { try context.save() }
      }
      // There is a next value, whatever cancelled itself.
      let first = try context.fetch(descriptor).first
      if first == nil { context.insert(Task("first", 0)) }
      first?.note += "!"
    }
  }
}
