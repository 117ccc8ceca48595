import SwiftData

enum FaultRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "faults", models: [Specimens.Entry.self], rules: [atomicity, invalid, unknownRow])

  private static let atomicity = Rule(
    "all or nothing", .models,
    "A save that throws has stored nothing, also if only one of its models cannot be stored."
  ) { trial in
    try trial.save([Entry("before")])
    let models: [any PersistentModel] = [
      Entry("first"), Entry("second"), Specimens.Stranger("of an unknown entity"), Entry("last"),
    ]
    let expected: [String]
    do {
      _ = try trial.store().insert(models, trial)
      expected = ["before", "first", "last", "second"]
    } catch {
      expected = ["before"]
    }
    let reader = try ModelContext(trial.container())
    trial.expect(
      "The titles after the save", try trial.titles(.init(), in: reader).sorted(), expected)
    try trial.save([Entry("after")])
    trial.expect(
      "The titles after another save", try trial.all(Entry.self).map(\.title).sorted(),
      (expected + ["after"]).sorted())
  }

  private static let invalid = Rule(
    "unknown class", .models, "A fetch of a class that the store lacks throws or finds nothing."
  ) { trial in
    try trial.save([Entry("a")])
    let found = try? trial.store().entities(of: FetchDescriptor<Specimens.Stranger>())
    trial.expect("The entities of the found snapshots", found ?? [], [])
  }

  private static let unknownRow = Rule(
    "deleted elsewhere", .models,
    "Changes of a model that another context has deleted do not bring it back."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a"), Entry("b")]
    try trial.save(entries, in: context)
    let other = try trial.context()
    other.delete(try trial.one(Entry.self, \.title, "a", in: other))
    try other.save()
    entries[0].number = 5
    entries[1].number = 6
    // The save may refuse the change, or drop it.
    do { try context.save() } catch { context.rollback() }
    trial.expect("The titles", try trial.all(Entry.self).map(\.title), ["b"])
    // A context of another process would ask the store to update the row.
    try trial.store().update(Entry("lost"), afterDeletionBy: trial)
    trial.expect("The titles after an update of a deleted row", try trial.titles(.init()), ["b"])
  }
}
