import OpenSwiftDataStoreFormat

/// The error for a change that would lose values: the problems, and the stages to write that solve
/// them.
struct MigrationProblemsError {
  let problems: [MigrationProblem]
  let migration: StoreMigration
  let step: MigrationPath.Step
  let path: MigrationPath

  var error: SwiftDataError {
    let index = path.steps.firstIndex(of: step) ?? 0
    let way = migration.plan == nil ? "to the models" : "from \(path.stepText(index))"
    let listed = problems.prefix(12).map { "- \($0.description)" }.joined(separator: "\n")
    let more = problems.count > 12 ? "\n- and \(problems.count - 12) more" : ""
    let single = problems.count == 1 ? problems.first : nil
    let text =
      "The store at \(migration.configuration.url.path) can't be migrated \(way) without losing values; it is "
      + "unchanged.\n\(listed)\(more)"
    if migration.plan != nil, step.from == nil {
      return .unknownDataStoreSchema.with(
        "\(text)\nThe store matches no version of the plan. Add the version that wrote it to the "
          + "schemas of the plan.",
        doing: "migrating a store", entity: single?.entity, property: single?.property)
    }
    return .loadIssueModelContainer.with(
      text + advice, doing: "migrating a store", entity: single?.entity,
      property: single?.property, because: .schemaMismatch)
  }

  // MARK: Stages

  private var advice: String {
    let stages = stages
    if stages.isEmpty { return "" }
    return "\nRepair the values in a stage of a migration plan:\n" + stages.joined(separator: "\n")
      + "\n// See MigrationStage."
  }

  /// The code of the stages: one that repairs rows before the tables change, and one that sets new
  /// properties from old rows. If both are needed, a version with the same models is put between
  /// them.
  private var stages: [String] {
    let before = problems.filter { $0.remedy == .before }
    let after = problems.filter { $0.remedy == .transformation }
    let from = step.from.flatMap { name(of: $0) } ?? "OldVersion"
    let to = name(of: step.to) ?? "NewVersion"
    if before.isEmpty { return after.isEmpty ? [] : [transformation(from, to, after)] }
    guard !after.isEmpty || migration.transforms(in: step) else {
      return [custom(from, to, before)]
    }
    let repaired = "\(from)Repaired"
    let version = step.from.map { migration.planning.versions[$0].identifier }
    let identifier = version.map { "\($0.major), \($0.minor), \($0.patch + 1)" } ?? "1, 0, 1"
    return [
      """
      // An intermediate version with the models of \(from). Add it to the schemas of the plan.
      enum \(repaired): VersionedSchema {
        static let versionIdentifier = Schema.Version(\(identifier))
        static var models: [any PersistentModel.Type] { \(from).models }
      }
      """,
      custom(from, repaired, before),
      after.isEmpty
        ? "// Change the existing stage of the plan: it goes from \(repaired).self to \(to).self."
        : transformation(repaired, to, after, models: from),
    ]
  }

  private func custom(_ from: String, _ to: String, _ problems: [MigrationProblem]) -> String {
    var lines = ["{ context in"]
    for (entity, properties) in concerned(problems) {
      let model = entity.stored.prefix(1).lowercased() + entity.stored.dropFirst()
      lines += [
        "    for \(model) in try context.fetch(FetchDescriptor<\(from).\(entity.stored)>()) {",
        "      _ = \(model)  // Repair \(properties).", "    }",
      ]
    }
    lines += ["    try context.save()", "  }"]
    return """
      MigrationStage.custom(
        fromVersion: \(from).self, toVersion: \(to).self,
        willMigrate: \(lines.joined(separator: "\n")),
        didMigrate: nil)
      """
  }

  /// - Parameter models: The version that the classes of the old models belong to.
  private func transformation(
    _ from: String, _ to: String, _ problems: [MigrationProblem], models: String? = nil
  ) -> String {
    let loops = concerned(problems).flatMap { entity, properties in
      [
        "    try transformation.forEach(\(models ?? from).\(entity.stored).self, "
          + "\(to).\(entity.current).self) { old, new, context in",
        "      // Set \(properties) of new.", "    }",
      ]
    }
    return """
      MigrationStage.transform(
        fromVersion: \(from).self, toVersion: \(to).self,
        transformation: { transformation in
      \(loops.joined(separator: "\n"))
        })
      """
  }

  private struct Concerned: Hashable {
    let stored: String
    let current: String
  }

  /// The entities of some problems, each once, with the names of the affected properties.
  private func concerned(
    _ problems: [MigrationProblem]
  ) -> [(entity: Concerned, properties: String)] {
    var entities: [Concerned] = []
    var properties: [Concerned: [String]] = [:]
    for problem in problems {
      let entity = Concerned(stored: problem.storedEntity, current: problem.entity)
      if properties[entity] == nil { entities.append(entity) }
      let name = problem.property ?? "the row"
      if properties[entity]?.contains(name) != true { properties[entity, default: []].append(name) }
    }
    return entities.map { ($0, (properties[$0] ?? []).joined(separator: ", ")) }
  }

  /// The type of a version, as the plan lists it.
  private func name(of index: Int) -> String? {
    migration.plan.map { "\($0.types[index])" }
  }
}
