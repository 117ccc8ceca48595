/// The result of each rule of a ``StoreSpecification`` run.
public struct SpecificationReport: Sendable {
  /// The result of one rule.
  public struct Result: Sendable {
    /// The chapter of the rule.
    public let chapter: String

    /// The name of the rule in its chapter.
    public let rule: String

    /// What the rule demands, in one sentence.
    public let demand: String

    /// The level that the rule belongs to.
    public let level: StoreSpecification.Level

    /// Whether the store declares the level.
    public let isDeclared: Bool

    /// What was expected and what came, for each expectation that did not hold; empty if the rule
    /// is kept.
    public let problems: [String]

    /// The chapter and the rule, as `chapter/rule`.
    public var name: String { "\(chapter)/\(rule)" }
  }

  /// The results, in the order of the rules.
  public let results: [Result]

  /// The rules of declared levels that the store breaks.
  public var brokenRules: [Result] { results.filter { $0.isDeclared && !$0.problems.isEmpty } }

  /// The levels that the store satisfies without declaring them.
  public var alsoSatisfied: [StoreSpecification.Level] {
    StoreSpecification.Level.allCases.filter { level in
      let own = results.filter { $0.level == level }
      return !own.isEmpty && own.allSatisfy { !$0.isDeclared && $0.problems.isEmpty }
    }
  }
}

extension SpecificationReport: CustomStringConvertible {
  /// A table with a line for each chapter, and the sum.
  ///
  /// Kept rules have the mark `+`, broken ones `✗`, those of levels that are not declared `–`.
  public var description: String {
    var chapters: [String] = []
    for result in results where chapters.last != result.chapter { chapters.append(result.chapter) }
    let width = (chapters.map(\.count).max() ?? 0) + 2
    var lines: [String] = []
    for chapter in chapters {
      let marked = results.filter { $0.chapter == chapter }.map { "\($0.mark) \($0.rule)" }
      var line = chapter + String(repeating: " ", count: width - chapter.count)
      let indentation = String(repeating: " ", count: width)
      for (index, entry) in marked.enumerated() {
        if index > 0, line.count + entry.count + 2 > 100 {
          lines.append(line)
          line = indentation
        }
        line += (line.count > width ? "  " : "") + entry
      }
      lines.append(line)
    }
    let broken = brokenRules.count
    let declared = results.count { $0.isDeclared }
    lines.append(
      "Passed (+): \(declared - broken). Failed (✗): \(broken). Not declared (–): "
        + "\(results.count - declared).")
    if !alsoSatisfied.isEmpty {
      lines.append("Also satisfies: \(alsoSatisfied.map(\.rawValue).joined(separator: ", ")).")
    }
    return lines.joined(separator: "\n")
  }
}

extension SpecificationReport.Result {
  fileprivate var mark: String { !isDeclared ? "–" : problems.isEmpty ? "+" : "✗" }
}
