import Foundation

/// A migration plan, read once for each opening and checked for faults.
package struct PlanVersions {
  let types: [any VersionedSchema.Type]
  package let schemas: [Schema]
  package let versions: [ModelVersion]
  package let stages: [MigrationStage]
  package let links: [StageLink]

  /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan without versions, for a version of a
  ///   stage whose position in the list is not known, for two stages between the same versions, and
  ///   for models that can't be stored.
  package init(_ plan: any SchemaMigrationPlan.Type) throws {
    let listed = plan.schemas
    stages = plan.stages
    guard !listed.isEmpty else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The migration plan \(plan) lists no versions. Add each VersionedSchema to its schemas, the "
          + "oldest first.")
    }
    types = PlanVersions.versions(listed, and: stages, of: plan)
    schemas = types.map { Schema(versionedSchema: $0) }
    for schema in schemas {
      do {
        try schema.validate()
      } catch let error as SwiftDataError {
        throw error.with("Version \(schema.version) of \(plan): \(error.ownExplanation)")
      }
    }
    versions = schemas.map(ModelVersion.init)
    let identities = types.map { ObjectIdentifier($0) }
    links = try stages.enumerated().map { index, stage in
      try StageLink(stage, at: index, in: identities, plan)
    }
    try PlanVersions.refuseRepeated(links, stages, plan)
  }

  /// The listed versions, and those that only stages name, each before the first version with a greater
  /// number.
  ///
  /// Where the listed versions do not ascend, numbers give no position: nothing is added, and the stage
  /// is refused.
  private static func versions(
    _ listed: [any VersionedSchema.Type], and stages: [MigrationStage],
    of plan: any SchemaMigrationPlan.Type
  ) -> [any VersionedSchema.Type] {
    let numbers = listed.map { $0.versionIdentifier }
    guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 <= $1 }) else { return listed }
    var versions = listed
    /// - Parameter next: The version to which a stage leads from the added one.
    func add(_ version: any VersionedSchema.Type, before next: (any VersionedSchema.Type)?) {
      guard !versions.contains(where: { $0 == version }) else { return }
      let number = version.versionIdentifier
      let index = versions.firstIndex { other in
        other.versionIdentifier > number || other.versionIdentifier == number && other == next
      }
      versions.insert(version, at: index ?? versions.endIndex)
      WarningLog.write(
        "The migration plan \(plan) has a stage of \(version), which its schemas do not list. It is used "
          + "as version \(number), in the order of the numbers. Add it to the schemas.",
        onceFor: "unlisted version \(plan) \(version)")
    }
    for stage in stages {
      add(stage.fromVersion, before: stage.toVersion)
      add(stage.toVersion, before: nil)
    }
    return versions
  }

  private static func refuseRepeated(
    _ links: [StageLink], _ stages: [MigrationStage], _ plan: any SchemaMigrationPlan.Type
  ) throws {
    for (index, link) in links.enumerated()
    where links[..<index].contains(where: { ($0.from, $0.to) == (link.from, link.to) }) {
      let stage = stages[link.stage]
      throw SwiftDataError.loadIssueModelContainer.with(
        "The migration plan \(plan) has two stages from \(stage.fromVersion) to \(stage.toVersion). "
          + "Combine them into one stage.")
    }
  }
}

/// The versions of a plan that a stage connects.
package struct StageLink: Hashable, Sendable {
  /// Indices in the list of versions.
  package let from: Int
  package let to: Int
  /// The index of the stage.
  package let stage: Int
  /// Whether code of the app runs in it.
  package let isCustom: Bool

  package init(from: Int, to: Int, stage: Int, isCustom: Bool) {
    self.from = from
    self.to = to
    self.stage = stage
    self.isCustom = isCustom
  }
}

extension StageLink {
  /// A version may be listed twice, so that a plan migrates forwards and back again. A stage to a
  /// version that is listed before migrates back.
  fileprivate init(
    _ stage: MigrationStage, at index: Int, in identities: [ObjectIdentifier],
    _ plan: any SchemaMigrationPlan.Type
  ) throws {
    let (from, to) = (stage.fromVersion, stage.toVersion)
    func indices(_ type: any VersionedSchema.Type) throws -> [Int] {
      let indices = identities.indices.filter { identities[$0] == ObjectIdentifier(type) }
      guard indices.isEmpty else { return indices }
      throw SwiftDataError.loadIssueModelContainer.with(
        "A stage of the migration plan \(plan) goes from \(from) to \(to), but \(type) is not in "
          + "the schemas of the plan, whose numbers do not ascend. Add it at its position.")
    }
    let (starts, ends) = (try indices(from), try indices(to))
    for start in starts {
      guard let end = ends.first(where: { $0 > start }) else { continue }
      self.init(from: start, to: end, stage: index, isCustom: stage.runsCode)
      return
    }
    guard let start = starts.last, let end = ends.last(where: { $0 < start }) else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "A stage of the migration plan \(plan) goes from \(from) to the same version. Remove it, or add "
          + "a separate VersionedSchema as its toVersion.")
    }
    self.init(from: start, to: end, stage: index, isCustom: stage.runsCode)
  }
}

extension MigrationStage {
  fileprivate var runsCode: Bool {
    switch self {
    case .lightweight: false
    case .transform: true
    case .custom(_, _, let willMigrate, let didMigrate): willMigrate != nil || didMigrate != nil
    }
  }
}
