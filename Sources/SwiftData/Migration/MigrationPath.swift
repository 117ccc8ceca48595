/// The path of a store from its version to that of the models.
package struct MigrationPath: Hashable, Sendable {
  /// One step: the tables change to a version; code of the app may run before and after it.
  package struct Step: Hashable, Sendable {
    /// The index of the version before the step; `nil` for one that the plan does not list.
    package let from: Int?
    /// The index of the version after the step.
    package let to: Int
    /// The index of the stage; `nil` if the plan has none, so that the tables change automatically.
    package let stage: Int?

    package init(from: Int?, to: Int, stage: Int?) {
      self.from = from
      self.to = to
      self.stage = stage
    }
  }

  package let steps: [Step]
  /// The names of the versions along the steps, the file's first.
  package let versionNames: [String]
  /// Whether rows and tables stay as they are, and only the name of the version changes.
  package let changesVersionNameOnly: Bool
  /// The models and properties that exchange their names while the version stays. If a program has written rows
  /// with the exchanged names before, their values are exchanged too.
  package var exchangedNames: [String] = []

  /// The text for errors: `1.0.0 to 2.0.0 (by a stage of the plan), 2.0.0 to 3.0.0`.
  package var text: String {
    steps.indices.map { index in
      stepText(index) + (steps[index].stage == nil ? "" : " (by a stage of the plan)")
    }.joined(separator: ", ")
  }

  /// The text of one step: `1.0.0 to 2.0.0`.
  package func stepText(_ index: Int) -> String {
    "\(versionNames[index]) to \(versionNames[index + 1])"
  }
}

/// What a store needs before its models can be used.
package enum MigrationDecision: Hashable, Sendable {
  /// The store has the version of the models.
  case open
  case migrate(MigrationPath)
}
