import Foundation

/// A migration plan, read once for each opening and checked for faults.
package struct PlanVersions {
  let types: [any VersionedSchema.Type]
  package let schemas: [Schema]
  package let versions: [ModelVersion]
  package let stages: [MigrationStage]
  package let links: [StageLink]

  /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan without versions, for a stage
  ///   between versions that it does not list, for two stages between the same versions, and
  ///   for models that can't be stored.
  package init(_ plan: any SchemaMigrationPlan.Type) throws {
    types = plan.schemas
    stages = plan.stages
    guard !types.isEmpty else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The migration plan \(plan) lists no versions. Add each VersionedSchema to its schemas, the "
          + "oldest first.")
    }
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
          + "the schemas of the plan. Add it.")
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
