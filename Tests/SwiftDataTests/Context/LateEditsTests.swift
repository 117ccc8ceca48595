import Foundation
import SwiftData
import Synchronization
import Testing

/// What code of the app does that a save of the context has called: a statement log, a custom store, the coding
/// of a value.
@Suite struct LateEditsTests {
  private typealias Snapshots = MemoryStoreBehaviour<DefaultSnapshot>

  /// The stores that call it while they save.
  enum Caller: CaseIterable { case statementLog, customStore }

  /// Code that the next save calls once.
  private final class Hook: @unchecked Sendable {
    private var body: (() throws -> Void)?

    func set(_ body: @escaping () throws -> Void) { self.body = body }

    func run() {
      guard let body = body.take() else { return }
      do { try body() } catch { Issue.record(error) }
    }
  }

  private func context(_ caller: Caller, _ hook: Hook) throws -> ModelContext {
    let schema = Schema(Graph.types)
    switch caller {
    case .statementLog:
      var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      configuration.statementLog = StatementLog { event in
        if case .statement(let statement) = event, !statement.sql.hasPrefix("SELECT"),
          !statement.sql.hasPrefix("BEGIN")
        {
          hook.run()
        }
      }
      return ModelContext(try ModelContainer(for: schema, configurations: configuration))
    case .customStore:
      let behaviour = Snapshots(willSave: { hook.run() })
      return ModelContext(
        try ModelContainer(
          for: schema,
          configurations: [MemoryStore<DefaultSnapshot>.Configuration(behaviour: behaviour)]))
    }
  }

  private func names(_ context: ModelContext) throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Graph.Parent>()).map(\.name).sorted()
  }

  @Test(arguments: Caller.allCases) func editsStayUnsaved(_ caller: Caller) throws {
    let hook = Hook()
    let context = try context(caller, hook)
    let (edited, other) = (Graph.Parent("edited"), Graph.Parent("other"))
    context.insert(edited)
    context.insert(other)
    try context.save()
    let new = Graph.Parent("new")
    context.insert(new)
    edited.name = "edited 2"
    hook.set {
      edited.name = "edited 3"
      other.name = "other 2"
      new.name = "new 2"
    }
    try context.save()
    #expect(context.hasChanges && edited.hasChanges && other.hasChanges && new.hasChanges)
    #expect([edited.name, other.name, new.name] == ["edited 3", "other 2", "new 2"])
    #expect(try names(context).prefix(1) == ["edited 2"])
    try context.save()
    #expect(!context.hasChanges)
    #expect(try names(context) == ["edited 3", "new 2", "other 2"])
  }

  @Test(arguments: Caller.allCases) func aRollbackRestoresWhatWasSaved(_ caller: Caller) throws {
    let hook = Hook()
    let context = try context(caller, hook)
    let parent = Graph.Parent("one")
    context.insert(parent)
    try context.save()
    parent.name = "two"
    hook.set { parent.name = "three" }
    try context.save()
    context.rollback()
    #expect(parent.name == "two" && !context.hasChanges)
    #expect(try names(context) == ["two"])
  }

  @Test(arguments: Caller.allCases) func insertionsAndDeletionsStayUnsaved(_ caller: Caller) throws
  {
    let hook = Hook()
    let context = try context(caller, hook)
    let old = Graph.Parent("old")
    context.insert(old)
    try context.save()
    let new = Graph.Parent("new")
    context.insert(new)
    hook.set {
      context.insert(Graph.Parent("late"))
      context.delete(old)
      context.delete(new)
    }
    try context.save()
    #expect(try names(context) == ["new", "old"])
    #expect(context.insertedModelsArray.count == 1 && context.deletedModelsArray.count == 2)
    try context.save()
    #expect(try names(context) == ["late"])
  }

  @Test(arguments: Caller.allCases) func relationshipsStayUnsaved(_ caller: Caller) throws {
    let hook = Hook()
    let context = try context(caller, hook)
    let (parent, first) = (Graph.Parent("p"), Graph.Child("1"))
    context.insert(parent)
    parent.children = [first]
    try context.save()
    let second = Graph.Child("2")
    parent.children.append(second)
    hook.set {
      parent.children.append(Graph.Child("3"))
      first.parent = nil
      second.toys = [Graph.Toy("t", owner: second)]
    }
    try context.save()
    func stored() throws -> [String] {
      try ModelContext(context.container).fetch(FetchDescriptor<Graph.Child>()).map {
        "\($0.name) \($0.parent?.name ?? "-") \($0.toys?.count ?? 0)"
      }.sorted()
    }
    #expect(try stored() == ["1 p 0", "2 p 0"])
    #expect(Set(parent.children.map(\.name)) == ["2", "3"])
    try context.save()
    #expect(try stored() == ["1 - 0", "2 p 1", "3 p 0"])
    #expect(Set(parent.children.map(\.name)) == ["2", "3"] && first.parent == nil)
  }

  @Test(arguments: Caller.allCases) func anotherSaveIsRefused(_ caller: Caller) throws {
    let hook = Hook()
    let context = try context(caller, hook)
    context.insert(Graph.Parent("one"))
    hook.set {
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.transaction {} }
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try context.delete(model: Graph.Parent.self)
      }
    }
    try context.save()
    #expect(!context.hasChanges)
    #expect(try names(context) == ["one"])
  }

  @Test(arguments: Caller.allCases) func aRollbackWaitsForTheSave(_ caller: Caller) throws {
    let hook = Hook()
    let context = try context(caller, hook)
    let parent = Graph.Parent("one")
    context.insert(parent)
    hook.set {
      parent.name = "two"
      context.rollback()
    }
    try context.save()
    #expect(parent.name == "one" && !context.hasChanges)
    #expect(try names(context) == ["one"])
  }

  /// A custom store whose save fails after the edits.
  @Test func editsOfAFailedSaveAreUnsavedToo() throws {
    struct Refusal: Error {}
    let hook = Hook()
    let fails = Mutex(true)
    let behaviour = Snapshots(willSave: {
      hook.run()
      if fails.withLock({ $0 }) { throw Refusal() }
    })
    let context = ModelContext(
      try ModelContainer(
        for: Schema(Graph.types),
        configurations: [MemoryStore<DefaultSnapshot>.Configuration(behaviour: behaviour)]))
    let (parent, gone) = (Graph.Parent("one"), Graph.Parent("gone"))
    context.insert(parent)
    context.insert(gone)
    hook.set {
      parent.name = "two"
      context.delete(gone)
    }
    #expect(throws: Refusal.self) { try context.save() }
    fails.withLock { $0 = false }
    try context.save()
    #expect(try names(context) == ["two"])
  }

  /// A run loop in a store runs the timer of autosave.
  @Test @MainActor func autosaveSavesWhatWasEditedDuringASave() async throws {
    let hook = Hook()
    let container = try context(.customStore, hook).container
    let context = container.mainContext
    context.autosaveEnabled = true
    let parent = Graph.Parent("one")
    context.insert(parent)
    hook.set { parent.name = "two" }
    try context.save()
    #expect(context.hasChanges)
    try await container.settle()
    #expect(!context.hasChanges)
    #expect(try names(context) == ["two"])
  }

  @Test func anEncoderMayInsert() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Graph.Parent.self, Box.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let parent = Graph.Parent("one")
    context.insert(parent)
    try context.save()
    Hooked.hook.set {
      context.insert(Graph.Parent("late"))
      parent.name = "two"
    }
    context.insert(Box())
    try context.save()
    #expect(context.hasChanges)
    try context.save()
    #expect(try names(context) == ["late", "two"])
  }

  private struct Hooked: Codable {
    static let hook = Hook()
    var number = 0

    init() {}

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      Hooked.hook.run()
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  @Model final class Box {
    private var values: [Hooked] = [Hooked()]

    init() {}
  }
}
