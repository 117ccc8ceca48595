import SwiftData

enum MigrationRules {
  private typealias Old = Specimens.VersionOne
  private typealias New = Specimens.VersionTwo

  static let chapter = Chapter(
    name: "migration", models: Specimens.VersionOne.models, rules: [plan, unneeded])

  private static let plan = Rule(
    "plan", .migration,
    "A store of an earlier version that is opened with a migration plan has its models, with nil for "
      + "new optional properties."
  ) { trial in
    try trial.save([Old.Log("a"), Old.Log("b")])
    trial.close()
    let schema = Schema(versionedSchema: New.self)
    do {
      let store = try trial.openStore(schema, Specimens.Plan.self)
      trial.expect(
        "The entities of the snapshots", try store.entities(of: FetchDescriptor<New.Log>()), ["Log"]
      )
    }
    let context = ModelContext(try trial.open(schema))
    let found = try context.fetch(FetchDescriptor<New.Log>())
    trial.expect("The texts", found.map(\.text).sorted(), ["a", "b"])
    trial.expect("The new property", found.map(\.note), [nil, nil])
    found.first?.note = "new"
    try context.save()
    let all = try ModelContext(trial.container()).fetch(FetchDescriptor<New.Log>())
    trial.expect("The new property after a change", all.compactMap(\.note), ["new"])
  }

  private static let unneeded = Rule(
    "plan without work", .migration, "A new store can be opened with a migration plan."
  ) { trial in
    let schema = Schema(versionedSchema: New.self)
    let store = try trial.openStore(schema, Specimens.Plan.self)
    trial.expect(
      "The entities of the snapshots", try store.entities(of: FetchDescriptor<New.Log>()), [])
  }
}
