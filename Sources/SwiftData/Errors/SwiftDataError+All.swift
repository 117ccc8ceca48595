extension SwiftDataError {
  /// Throws one error that lists all failures; returns if there are none.
  static func throwAll(_ failures: [SwiftDataError]) throws {
    guard let first = failures.first else { return }
    if failures.count == 1 { throw first }
    throw first.with(
      "\(failures.count) rules are broken and nothing was saved:\n"
        + failures.map { "- \($0.description)" }.joined(separator: "\n"))
  }

  /// The error of a save to several stores of which some have committed.
  static func partiallyCommitted(
    by names: [String], pending: [String], _ error: any Error
  ) -> SwiftDataError {
    storeWriteFailure.with(
      "A save of several stores was stored in part. \(names.joined(separator: ", ")) committed: these models "
        + "are saved. \(pending.joined(separator: ", ")) did not: its changes are still unsaved. Remove the "
        + "cause and save again, which writes nothing twice, or roll back.", doing: "saving",
      underlying: error
    ).committed(by: names)
  }
}
