import SwiftData

enum ModelRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "models", models: [Specimens.Entry.self, Specimens.Memo.self],
    rules: [insert, several, large, update, delete, mixed, empty, separation, stores]
      + IdentifierRules.all)

  private static let insert = Rule(
    "insert", .models, "A context reads the values that another context has inserted and saved."
  ) { trial in
    let context = try trial.context()
    let entry = Entry("first", 7, rank: 1, remark: "new")
    try trial.save([entry], in: context)
    trial.expect("hasChanges after the save", context.hasChanges, false)
    let found = try trial.only(Entry.self, in: trial.context())
    trial.expect("The title", found.title, "first")
    trial.expect("The number", found.number, 7)
    trial.expect("The optional number", found.rank, 1)
    trial.expect("The optional text", found.remark, "new")
  }

  private static let several = Rule(
    "several", .models, "A save stores all of its new models, each with its own values."
  ) { trial in
    try trial.save((1...3).map { Entry("entry \($0)", $0) })
    let found = try trial.all(Entry.self)
    trial.expect("The titles", found.map(\.title).sorted(), ["entry 1", "entry 2", "entry 3"])
    trial.expect(
      found.allSatisfy { $0.title == "entry \($0.number)" },
      "The values of one model belong together, but those of different models are mixed.")
  }

  private static let large = Rule(
    "large save", .models, "A save of some hundred models stores each of them once."
  ) { trial in
    try trial.save((0..<300).map { Entry("entry", $0) })
    trial.expect("The numbers", try trial.all(Entry.self).map(\.number).sorted(), Array(0..<300))
  }

  private static let update = Rule(
    "update", .models, "A saved change replaces the old value, and only that of its model."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a", 1), Entry("b", 2)]
    try trial.save(entries, in: context)
    for value in ["c", "d"] {
      entries[0].title = value
      try context.save()
      let titles = try trial.all(Entry.self).map(\.title)
      trial.expect("The titles after a change", titles.sorted(), ["b", value])
    }
    let other = try trial.context()
    try trial.one(Entry.self, \.title, "b", in: other).number = 5
    try other.save()
    let numbers = try trial.all(Entry.self).map(\.number)
    trial.expect("The numbers after a change in another context", numbers.sorted(), [1, 5])
  }

  private static let delete = Rule(
    "delete", .models, "A deleted model is in no fetch after the save; the others remain."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a"), Entry("b"), Entry("c")]
    try trial.save(entries, in: context)
    context.delete(entries[1])
    try context.save()
    trial.expect("The titles", try trial.all(Entry.self).map(\.title).sorted(), ["a", "c"])
    let other = try trial.context()
    other.delete(try trial.one(Entry.self, \.title, "a", in: other))
    try other.save()
    trial.expect("The titles", try trial.all(Entry.self).map(\.title), ["c"])
    trial.expect("The titles in the first context", try trial.titles(.init(), in: context), ["c"])
  }

  private static let mixed = Rule(
    "mixed save", .models, "One save may insert, change and delete models."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("changed"), Entry("deleted"), Entry("kept")]
    try trial.save(entries, in: context)
    entries[0].number = 3
    context.delete(entries[1])
    context.insert(Entry("new", 4))
    try context.save()
    let found = try trial.all(Entry.self).map { "\($0.title) \($0.number)" }
    trial.expect("The models", found.sorted(), ["changed 3", "kept 0", "new 4"])
  }

  private static let empty = Rule(
    "empty save", .models, "A save without changes succeeds and changes nothing."
  ) { trial in
    try trial.save([Entry("a")])
    try trial.context().save()
    try trial.store().saveNothing(trial)
    trial.expect("The titles", try trial.all(Entry.self).map(\.title), ["a"])
  }

  private static let separation = Rule(
    "entities", .models, "A fetch of one class returns no models of another class."
  ) { trial in
    let context = try trial.context()
    context.insert(Entry("entry"))
    context.insert(Specimens.Memo("memo"))
    try context.save()
    trial.expect("The entries", try trial.all(Entry.self).map(\.title), ["entry"])
    trial.expect("The memos", try trial.all(Specimens.Memo.self).map(\.text), ["memo"])
    trial.expect(
      "The entities of the snapshots in a fetch of Entry",
      try trial.store().entities(of: FetchDescriptor<Entry>()), ["Entry"])
  }

  private static let stores = Rule(
    "separate stores", .models, "Stores of different names share no models."
  ) { trial in
    try trial.save([Entry("first")])
    let other = try trial.sibling()
    defer { other.close() }
    trial.expect("The models of a new store", try other.all(Entry.self).map(\.title), [])
    try other.save([Entry("second")])
    trial.expect("The first store", try trial.all(Entry.self).map(\.title), ["first"])
    trial.expect("The second store", try other.all(Entry.self).map(\.title), ["second"])
    trial.expect(
      try trial.store().identifier != other.store().identifier,
      "Two stores have the same identifier: \(try trial.store().identifier).")
  }
}
