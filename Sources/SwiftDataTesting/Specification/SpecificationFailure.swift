/// The error of a ``StoreSpecification`` run in which a store broke rules that it declares.
public struct SpecificationFailure: Error, CustomStringConvertible {
  /// The results of all rules.
  public let report: SpecificationReport

  /// The names of the broken rules, as `chapter/rule`.
  public var brokenRules: [String] { report.brokenRules.map(\.name) }

  /// Each broken rule with what it demands, what was expected and what came; then the table. Of many
  /// differences from one rule the first ones are listed.
  public var description: String {
    let rules = report.brokenRules.map { result in
      let rest = result.problems.count - 6
      return "\(result.name): \(result.demand)\n"
        + result.problems.prefix(6).map { "  - \($0)" }.joined(separator: "\n")
        + (rest > 0 ? "\n  - and \(rest) more" : "")
    }
    return
      "The store breaks \(rules.count) \(rules.count == 1 ? "rule" : "rules") of the specification.\n\n"
      + rules.joined(separator: "\n\n") + "\n\n\(report)"
  }
}
