import SwiftData

enum PendingChangeRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "pending changes", models: [Specimens.Entry.self],
    rules: [seen, unseen, rollback, sliced])

  private static let seen = Rule(
    "seen", .models, "Fetches of a context see its unsaved changes."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a", 1), Entry("b", 2), Entry("c", 3)]
    try trial.save(entries, in: context)
    entries[0].number = 9
    context.delete(entries[1])
    context.insert(Entry("d", 4))
    let descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    trial.expect("The titles", try trial.titles(descriptor, in: context), ["c", "d", "a"])
    let large = FetchDescriptor<Entry>(predicate: #Predicate { $0.number > 3 })
    trial.expect("The large ones", try trial.titles(large, in: context).sorted(), ["a", "d"])
    trial.expect("The count", try context.fetchCount(FetchDescriptor<Entry>()), 3)
  }

  private static let unseen = Rule(
    "unseen", .models, "Unsaved changes are neither in the store nor in other contexts."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a", 1), Entry("b", 2)]
    try trial.save(entries, in: context)
    entries[0].title = "z"
    context.delete(entries[1])
    context.insert(Entry("new"))
    trial.expect(
      "The titles in another context", try trial.titles(FetchDescriptor()).sorted(), ["a", "b"])
    var descriptor = FetchDescriptor<Entry>()
    descriptor.includePendingChanges = false
    trial.expect("The models without pending changes", try context.fetch(descriptor).count, 2)
  }

  private static let rollback = Rule(
    "rollback", .models, "After rollback() a context has the saved values again."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a", 1, rank: 5), Entry("b", 2)]
    try trial.save(entries, in: context)
    (entries[0].title, entries[0].rank) = ("z", nil)
    context.delete(entries[1])
    context.insert(Entry("new"))
    context.rollback()
    trial.expect("hasChanges after rollback()", context.hasChanges, false)
    trial.expect("The title", entries[0].title, "a")
    trial.expect("The optional number", entries[0].rank, 5)
    trial.expect("The titles", try trial.titles(.init(), in: context).sorted(), ["a", "b"])
  }

  private static let sliced = Rule(
    "limits", .models, "Limit and offset count models with unsaved changes too."
  ) { trial in
    let context = try trial.context()
    let entries = (1...5).map { Entry("\($0)", $0) }
    try trial.save(entries, in: context)
    entries[0].number = 6
    context.delete(entries[2])
    context.insert(Entry("new", 3))
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Entry.number)])
    (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 3)
    trial.expect("The titles", try trial.titles(descriptor, in: context), ["new", "4", "5"])
  }
}
