import SwiftData

enum HistoryRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "history", models: [Specimens.Entry.self],
    rules: [transactions, deletions, tokens, after, authors, erased])

  private static let transactions = Rule(
    "transactions", .history,
    "Each save is a transaction, with the insertions and changes of its models by identifier."
  ) { trial in
    let history = try trial.history()
    let context = try trial.context()
    let entries = [Entry("a", 1), Entry("b", 2)]
    try trial.save(entries, in: context)
    entries[0].number = 5
    try context.save()
    let identifiers = entries.map(\.persistentModelID)
    let found = try history.transactions(in: context)
    trial.expect("The number of transactions", found.count, 2)
    let changes = found.map { Set($0.changes) }
    trial.expect(
      "The changes of the first save", changes.first, Set(identifiers.map { .insert($0) }))
    trial.expect("The changes of the second save", changes.last, [.update(identifiers[0])])
    let store = try trial.store().identifier
    trial.expect("The stores", Set(found.map(\.storeIdentifier)), [store])
    trial.expect(
      zip(found, found.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp },
      "A later transaction has an earlier timestamp.")
  }

  private static let deletions = Rule(
    "deletions", .history, "The deletion of a model is a change of its transaction."
  ) { trial in
    let history = try trial.history()
    let context = try trial.context()
    let entries = [Entry("a"), Entry("b")]
    let identifiers = try trial.save(entries, in: context)
    context.delete(entries[0])
    try context.save()
    let found = try history.transactions(in: context)
    trial.expect("The changes of the last save", found.last?.changes, [.delete(identifiers[0])])
  }

  private static let tokens = Rule(
    "tokens", .history, "The tokens of later transactions are greater."
  ) { trial in
    let history = try trial.history()
    let context = try trial.context()
    for number in 0..<4 { try trial.save([Entry("\(number)", number)], in: context) }
    let order = try history.tokenOrder(in: context)
    trial.expect("The number of transactions", order.count, 4)
    trial.expect("The positions of the transactions by token", order, [0, 1, 2, 3])
  }

  private static let after = Rule(
    "after a token", .history, "A fetch after a token returns the transactions after it, only."
  ) { trial in
    let history = try trial.history()
    let context = try trial.context()
    for number in 0..<4 { try trial.save([Entry("\(number)", number)], in: context) }
    for position in 0..<4 {
      guard let found = try history.transactions(after: position, in: context) else { return }
      trial.expect("The number of transactions after number \(position)", found.count, 3 - position)
    }
  }

  private static let authors = Rule(
    "author", .history, "A transaction has the author of its context."
  ) { trial in
    let history = try trial.history()
    let context = try trial.context()
    context.author = "importer"
    try trial.save([Entry("a")], in: context)
    context.author = nil
    try trial.save([Entry("b")], in: context)
    let other = try trial.context()
    other.author = "editor"
    try trial.save([Entry("c")], in: other)
    let found = try history.transactions(in: context).map(\.author)
    trial.expect("The authors", found, ["importer", nil, "editor"])
  }

  private static let erased = Rule(
    "deletion of history", .history, "Deleted transactions are gone; later saves are recorded."
  ) { trial in
    let history = try trial.history()
    let context = try trial.context()
    for number in 0..<3 { try trial.save([Entry("\(number)", number)], in: context) }
    try history.deleteAll(in: context)
    trial.expect("The transactions", try history.transactions(in: context).count, 0)
    trial.expect("The models", try trial.all(Entry.self).count, 3)
    try trial.save([Entry("new")], in: context)
    trial.expect("The transactions after a save", try history.transactions(in: context).count, 1)
  }
}
