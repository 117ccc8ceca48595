public import Foundation

/// What opening a store would change: a dry run, for scripts that deploy and for people who read it.
///
/// ``ModelContainer/migrationPreview(for:migrationPlan:configurations:)`` makes it. Not in Apple's framework.
public struct MigrationPreview: Codable, Hashable, Sendable {
  /// One step from a version to another.
  public struct Stage: Codable, Hashable, Sendable {
    /// Who does what in a stage.
    public enum Kind: String, Codable, Sendable {
      /// The store changes by itself.
      case lightweight
      /// Code of the plan runs before or after that. The preview does not run it.
      case custom
      /// The store changes, and code of the plan sees both sides. The preview does not run it.
      case transform
    }

    /// The version before; `an unnamed version` for a store that names none.
    public let fromVersion: String

    /// The version afterwards.
    public let toVersion: String

    /// Whether code of the plan runs.
    public let kind: Kind

    /// The differences of the models, a clause for each.
    public let changes: [String]

    /// What the stage deletes, where the rows are known: in the first stage. Code that runs before the tables
    /// change may make it more or less.
    public let losses: [MigrationLoss]

    /// The statements that change the tables; what the store says of itself is written besides.
    public let statements: [String]

    /// What would make the stage throw. Of later stages, and where code of the plan runs before the tables
    /// change, it is not known: see `isChecked`.
    public let problems: [MigrationProblem]

    /// Whether the rows were asked. Only of the first stage it is known which rows there are.
    public let isChecked: Bool
  }

  /// The file of the store.
  public let url: URL

  /// The version of the store, as it names it; `nil` where there is no store yet.
  public let fromVersion: String?

  /// The version of the models.
  public let toVersion: String

  /// The steps in their order; none where the store has the version of the models.
  public let stages: [Stage]

  /// The number of rows in the store, by entity.
  public let rowCounts: [String: Int]

  /// Whether opening the store would migrate it.
  public var isNeeded: Bool { !stages.isEmpty }

  /// What would make the migration throw.
  public var problems: [MigrationProblem] { stages.flatMap(\.problems) }

  /// What the migration would delete, as far as it is known.
  public var losses: [MigrationLoss] { stages.flatMap(\.losses) }
}

extension MigrationPreview: CustomStringConvertible {
  /// The stages with their changes, statements and problems, a line for each.
  public var description: String {
    var lines: [String] = []
    if let fromVersion {
      lines.append(
        isNeeded
          ? "\(url.path): from \(fromVersion) to \(toVersion)"
          : "\(url.path): nothing to do, the version is \(toVersion)")
    } else {
      lines.append("\(url.path): no store yet, it will be made with version \(toVersion)")
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
        lines.append("    not checked: it depends on the code and the stages before")
      }
    }
    return lines.joined(separator: "\n")
  }
}
