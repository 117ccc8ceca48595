extension SwiftDataError {
  /// Throws one error that lists all failures; returns if there are none.
  static func throwAll(_ failures: [SwiftDataError]) throws {
    guard let first = failures.first else { return }
    if failures.count == 1 { throw first }
    throw first.with(
      "\(failures.count) validation errors; nothing was saved:\n"
        + failures.map { "- \($0.description)" }.joined(separator: "\n")
    ).listing(failures.flatMap(\.failures))
  }

  /// The error of a save to several stores of which some have committed.
  static func partiallyCommitted(
    by names: [String], pending: [String], _ error: any Error
  ) -> SwiftDataError {
    storeWriteFailure.with(
      "A save to several stores is incomplete. \(names.joined(separator: ", ")) committed: these models "
        + "are saved. \(pending.joined(separator: ", ")) did not: its changes are still unsaved. Fix the "
        + "cause and save again (nothing is written twice), or roll back.", doing: "saving",
      underlying: error
    ).committed(by: names)
  }
}
