extension SwiftDataError {
  /// Refuses an option of a configuration while a store is opened.
  /// - Parameters:
  ///   - isAllowed: Whether the option has a possible value.
  ///   - name: The option, as it is written in code.
  ///   - value: The value of the option.
  ///   - allowed: The possible values.
  package static func requireOption(
    _ isAllowed: Bool, _ name: String, _ value: String, _ allowed: String
  ) throws {
    if isAllowed { return }
    throw loadIssueModelContainer.with(
      "The option \(name) of the configuration is \(value). Set \(allowed).",
      doing: "opening a store")
  }
}
