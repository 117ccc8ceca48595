import SwiftData

enum ErasureRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "erasure", models: [Specimens.Entry.self, Specimens.Memo.self], rules: [erase])

  private static let erase = Rule(
    "erase", .erasure, "erase() deletes all models; the store can be filled again."
  ) { trial in
    let context = try trial.context()
    context.insert(Entry("a"))
    context.insert(Specimens.Memo("b"))
    try context.save()
    try trial.container().erase()
    trial.expect("The entries", try trial.all(Entry.self).map(\.title), [])
    trial.expect("The memos", try trial.all(Specimens.Memo.self).map(\.text), [])
    trial.expect("The first context", try trial.titles(.init(), in: context), [])
    try trial.save([Entry("new")])
    trial.expect("The entries", try trial.all(Entry.self).map(\.title), ["new"])
  }
}
