extension SwiftDataError {
  /// Throws one error for all failures, if there are any.
  static func throwAll(_ failures: [SwiftDataError]) throws {
    guard let first = failures.first else { return }
    if failures.count == 1 { throw first }
    throw first.with(
      "\(failures.count) rules are broken and nothing was saved:\n"
        + failures.map { "- \($0.description)" }.joined(separator: "\n"))
  }
}
