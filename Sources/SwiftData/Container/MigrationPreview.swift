public import Foundation

/// What opening a store would change: the result of a dry run, for deployment scripts and for
/// people.
///
/// Created by ``ModelContainer/migrationPreview(for:migrationPlan:configurations:)``. Not in
/// Apple's framework.
public struct MigrationPreview: Codable, Hashable, Sendable {
  /// One step from a version to another.
  public struct Stage: Codable, Hashable, Sendable {
    /// Whether code of the plan takes part in a stage.
    public enum Kind: String, Codable, Sendable {
      /// The store changes its tables automatically.
      case lightweight
      /// Code of the plan runs before or after the change of the tables. The preview does not run
      /// it.
      case custom
      /// The tables change, and code of the plan uses old and new models. The preview does not run
      /// it.
      case transform
    }

    /// The version before the stage; `an unnamed version` for a store without a version name.
    public let fromVersion: String

    /// The version after the stage.
    public let toVersion: String

    /// Whether code of the plan runs.
    public let kind: Kind

    /// The differences between the models, one clause each.
    ///
    /// For the first stage also how many links two relationships get from each other, because they become
    /// inverses.
    public let changes: [String]

    /// What the stage deletes; known for the first stage only, whose rows exist already. Code that
    /// runs before the tables change may make it more or less.
    public let losses: [MigrationLoss]

    /// The statements that change the tables.
    ///
    /// Without those that write the store's metadata, or give new tables of a server the owner and
    /// privileges of the earlier ones.
    public let statements: [String]

    /// What would make the stage throw. Not known for later stages, and if code of the plan runs
    /// before the tables change: see `isChecked`.
    public let problems: [MigrationProblem]

    /// Whether the rows were checked: possible for the first stage only, if no code runs before it.
    public let isChecked: Bool
  }

  /// The file of the store, or the address of its database without secrets.
  public let url: URL

  /// The version name in the store; `nil` if there is no store yet.
  public let fromVersion: String?

  /// The version of the models.
  public let toVersion: String

  /// The stages in order; empty if the store has the version of the models.
  public let stages: [Stage]

  /// The number of rows in the store, by entity.
  public let rowCounts: [String: Int]

  /// Whether opening the store would migrate it.
  public var isNeeded: Bool { !stages.isEmpty }

  package init(
    url: URL, fromVersion: String?, toVersion: String, stages: [Stage], rowCounts: [String: Int]
  ) {
    self.url = url
    self.fromVersion = fromVersion
    self.toVersion = toVersion
    self.stages = stages
    self.rowCounts = rowCounts
  }

  /// The location in the description.
  private var place: String { url.isFileURL ? url.path : url.absoluteString }

  /// What would make the migration throw.
  public var problems: [MigrationProblem] { stages.flatMap(\.problems) }

  /// What the migration would delete, as far as known.
  public var losses: [MigrationLoss] { stages.flatMap(\.losses) }
}

extension MigrationPreview: CustomStringConvertible {
  /// The stages with their changes, statements and problems, one line each.
  public var description: String {
    var lines: [String] = []
    if let fromVersion {
      lines.append(
        isNeeded
          ? "\(place): from \(fromVersion) to \(toVersion)"
          : "\(place): nothing to do; the version is \(toVersion)")
    } else {
      lines.append("\(place): no store exists; it will be created with version \(toVersion)")
    }
    for name in rowCounts.keys.sorted() { lines.append("  \(name): \(rowCounts[name] ?? 0) rows") }
    for (number, stage) in stages.enumerated() {
      lines.append(
        "  stage \(number + 1), \(stage.kind.rawValue): \(stage.fromVersion) to \(stage.toVersion)")
      lines += stage.changes.map { "    \($0)" }
      lines += stage.losses.map { "    deletes \($0)" }
      lines += stage.statements.map { "    SQL: \($0)" }
      lines += stage.problems.map { "    problem: \($0)" }
      if !stage.isChecked {
        lines.append("    not checked: it depends on the code and on the earlier stages")
      }
    }
    return lines.joined(separator: "\n")
  }
}
