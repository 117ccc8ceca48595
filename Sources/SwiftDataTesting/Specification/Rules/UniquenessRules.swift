import SwiftData

enum UniquenessRules {
  private typealias Account = Specimens.Account
  private typealias Square = Specimens.Square

  static let chapter = Chapter(
    name: "uniqueness", models: [Specimens.Account.self, Specimens.Square.self],
    rules: [updates, combined, within, refusals, refusedCombinations])

  private static let updates = Rule(
    "update", .uniqueUpdates,
    "A new model with the unique value of a stored one replaces its values and keeps its identifier."
  ) { trial in
    let old = try trial.save([Account("a", 1, remark: "old"), Account("b", 2)])
    let new = try trial.save([Account("a", 3)])
    trial.expect("The identifier", new, [old[0]])
    let found = try trial.all(Account.self).map { "\($0.key) \($0.amount) \($0.remark ?? "nil")" }
    trial.expect("The models", found.sorted(), ["a 3 nil", "b 2 nil"])
  }

  private static let combined = Rule(
    "combined update", .uniqueUpdates, "Several properties may be unique together."
  ) { trial in
    try trial.save([Square(1, 1, "a"), Square(1, 2, "b")])
    try trial.save([Square(1, 2, "c"), Square(2, 1, "d")])
    let found = try trial.all(Square.self).map { "\($0.row) \($0.column) \($0.label)" }
    trial.expect("The models", found.sorted(), ["1 1 a", "1 2 c", "2 1 d"])
  }

  private static let within = Rule(
    "within a save", .uniqueUpdates, "Of several new models with one unique value one is stored."
  ) { trial in
    try trial.save([Account("a", 1), Account("b", 2), Account("a", 3)])
    let found = try trial.all(Account.self).map(\.key)
    trial.expect("The keys", found.sorted(), ["a", "b"])
  }

  private static func expectRefusal<T: PersistentModel>(
    _ trial: Trial, _ model: T, besides other: T, _ stored: () throws -> [String],
    mend: () -> Void
  ) throws {
    let before = try stored()
    let context = try trial.context()
    context.uniquenessPolicy = .refuse
    context.insert(other)
    context.insert(model)
    trial.expectError("A save with the unique value of a stored model") { try context.save() }
    trial.expect("The stored models", try stored(), before)
    trial.expect("hasChanges after the error", context.hasChanges, true)
    trial.expect("The new models after the error", context.insertedModelsArray.count, 2)
    mend()
    try context.save()
    trial.expect("The number of models", try stored().count, before.count + 2)
  }

  private static let refusals = Rule(
    "refusal", .uniqueRefusals,
    "A save with the unique value of a stored model throws if the context refuses that, stores nothing, "
      + "and leaves the context with its changes."
  ) { trial in
    try trial.save([Account("a", 1)])
    let new = Account("a", 3)
    try expectRefusal(trial, new, besides: Account("b", 2)) {
      try trial.all(Account.self).map { "\($0.key) \($0.amount)" }
    } mend: {
      new.key = "c"
    }
  }

  private static let refusedCombinations = Rule(
    "combined refusal", .uniqueRefusals, "Several properties may be unique together."
  ) { trial in
    try trial.save([Square(1, 1, "a")])
    let new = Square(1, 1, "b")
    try expectRefusal(trial, new, besides: Square(1, 2, "c")) {
      try trial.all(Square.self).map { "\($0.row) \($0.column) \($0.label)" }
    } mend: {
      new.row = 2
    }
  }
}
