import OpenSwiftDataStoreFormat

/// What is said of a change that would lose values: what stands in the way, and the stage to write that
/// gets over it.
struct MigrationRefusal {
  let problems: [MigrationProblem]
  let migration: StoreMigration
  let step: MigrationPath.Step
  let path: MigrationPath

  var error: SwiftDataError {
    let place = path.steps.firstIndex(of: step) ?? 0
    let way = migration.plan == nil ? "to the models" : "from \(path.stepText(place))"
    let listed = problems.prefix(12).map { "- \($0.description)" }.joined(separator: "\n")
    let more = problems.count > 12 ? "\n- and \(problems.count - 12) more" : ""
    let single = problems.count == 1 ? problems.first : nil
    return .loadIssueModelContainer.with(
      "The store at \(migration.configuration.url.path) can't be migrated \(way) without losing values; it "
        + "was left as it is.\n\(listed)\(more)\nA stage of a migration plan makes the values fit:\n"
        + skeleton + "\n// See MigrationStage.",
      doing: "migrating a store", entity: single?.entity, property: single?.property)
  }

  /// The code of a stage, with a loop for each entity that is in the way: before the tables change where rows
  /// have to be mended, behind that where values have to be carried over.
  private var skeleton: String {
    let from = step.from.flatMap { name(of: $0) } ?? "OldVersion"
    let to = name(of: step.to) ?? "NewVersion"
    return """
      MigrationStage.custom(
        fromVersion: \(from).self, toVersion: \(to).self,
        willMigrate: \(closure(from, problems.filter { !$0.needsNewProperty })),
        didMigrate: \(closure(to, problems.filter(\.needsNewProperty))))
      """
  }

  private func closure(_ version: String, _ problems: [MigrationProblem]) -> String {
    if problems.isEmpty { return "nil" }
    var lines = ["{ context in"]
    var seen: Set<String> = []
    for problem in problems where seen.insert(problem.entity).inserted {
      let model = problem.entity.prefix(1).lowercased() + problem.entity.dropFirst()
      let properties = problems.filter { $0.entity == problem.entity }.compactMap(\.property)
      lines += [
        "    for \(model) in try context.fetch(FetchDescriptor<\(version).\(problem.entity)>()) {",
        "      // \(properties.joined(separator: ", "))", "    }",
      ]
    }
    return (lines + ["    try context.save()", "  }"]).joined(separator: "\n")
  }

  /// The type of a version, as the plan lists it.
  private func name(of place: Int) -> String? {
    migration.plan.map { "\($0.types[place])" }
  }
}

extension MigrationProblem {
  /// Whether the old models have no place for what is missing.
  fileprivate var needsNewProperty: Bool { from == "nothing" || reason.contains("lose") }
}
