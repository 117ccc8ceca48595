/// The way of a store from the version that it has to that of the models.
package struct MigrationPath: Hashable, Sendable {
  /// One step: the tables change to a version, and code of the app may run before and after it.
  package struct Step: Hashable, Sendable {
    /// The place of the version that the store has before; `nil` for one that the plan does not list.
    package let from: Int?
    /// The place of the version that it has afterwards.
    package let to: Int
    /// The place of the stage; `nil` where the plan has none, so that the store changes by itself.
    package let stage: Int?

    package init(from: Int?, to: Int, stage: Int?) {
      self.from = from
      self.to = to
      self.stage = stage
    }
  }

  package let steps: [Step]
  /// The versions that the steps lead through, the file's first.
  package let versionNames: [String]
  /// Whether rows and tables stay as they are, and only the names of the version change.
  package let isInName: Bool

  /// As errors tell it: `1.0.0 to 2.0.0 (by a stage of the plan), 2.0.0 to 3.0.0`.
  package var text: String {
    steps.indices.map { place in
      stepText(place) + (steps[place].stage == nil ? "" : " (by a stage of the plan)")
    }.joined(separator: ", ")
  }

  /// `1.0.0 to 2.0.0`.
  package func stepText(_ place: Int) -> String {
    "\(versionNames[place]) to \(versionNames[place + 1])"
  }
}

/// What a store needs before its models can be used.
package enum MigrationDecision: Hashable, Sendable {
  /// It has the version of the models.
  case open
  case migrate(MigrationPath)
}
