public import SwiftData

/// What contexts demand of every store: rules that a store of your own can be run against.
///
/// A configuration that conforms to ``SpecifiableStore`` is enough:
///
/// ```swift
/// let report = try await StoreSpecification.run(NotebookConfiguration.self)
/// print(report)
/// ```
///
/// Each rule gets a new store with models of the specification. A rule that is broken, throws or
/// does not end keeps no other rule from running. The rules of levels that the store does not declare
/// run too; the report lists them as *not declared*, and says which levels the store satisfies in
/// addition.
public enum StoreSpecification {
  /// How long a rule may take before it counts as broken.
  public static let defaultTimeLimit = Duration.seconds(60)

  /// Runs the rules against the stores of a configuration type.
  ///
  /// - Parameters:
  ///   - type: The configuration type; it declares its levels.
  ///   - rules: The names of chapters, or of rules as `chapter/rule`, to run; empty for all. A name
  ///     that does not exist counts as a broken rule.
  ///   - timeLimit: How long each rule may take.
  /// - Returns: The result of each rule.
  /// - Throws: ``SpecificationFailure`` if a rule of a declared level is broken.
  @discardableResult
  public static func run<Configuration: SpecifiableStore>(
    _ type: Configuration.Type, only rules: Set<String> = [],
    timeLimit: Duration = defaultTimeLimit
  ) async throws -> SpecificationReport {
    try await run(levels: Configuration.levels, only: rules, timeLimit: timeLimit) {
      Configuration(specification: $0)
    }
  }

  /// Runs the rules against the stores of configurations that a closure makes.
  ///
  /// ```swift
  /// let levels = StoreSpecification.Level.standard.union([.persistent, .shared])
  /// try await StoreSpecification.run(levels: levels) { setup in
  ///   ModelConfiguration(setup.name, url: setup.folder.appending(path: "rows.store"))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - levels: What the store declares; ``Level/models`` is always required.
  ///   - rules: The names of chapters, or of rules as `chapter/rule`, to run; empty for all. A name
  ///     that does not exist counts as a broken rule.
  ///   - timeLimit: How long each rule may take.
  ///   - configuration: Makes the configuration of a store. Called several times with an equal setup
  ///     if a rule opens its store several times.
  /// - Returns: The result of each rule.
  /// - Throws: ``SpecificationFailure`` if a rule of a declared level is broken.
  @discardableResult
  public static func run(
    levels: Set<Level> = Level.standard, only rules: Set<String> = [],
    timeLimit: Duration = defaultTimeLimit,
    configuration: @escaping @Sendable (SpecificationSetup) throws -> any DataStoreConfiguration
  ) async throws -> SpecificationReport {
    var results = unknown(rules)
    for chapter in Chapter.all {
      for rule in chapter.rules where rules.isEmpty || rule.isNamed(in: rules, chapter) {
        let trial = Trial(models: rule.models ?? chapter.models, configuration)
        let problems = await RuleRunner.problems(of: rule, on: trial, within: timeLimit)
        results.append(
          SpecificationReport.Result(
            chapter: chapter.name, rule: rule.name, demand: rule.demand, level: rule.level,
            isDeclared: rule.level == .models || levels.contains(rule.level),
            problems: problems))
      }
    }
    let report = SpecificationReport(results: results)
    if report.brokenRules.isEmpty { return report }
    throw SpecificationFailure(report: report)
  }

  /// Names that select nothing, so that a misspelled one does not pass.
  private static func unknown(_ names: Set<String>) -> [SpecificationReport.Result] {
    names.filter { name in
      !Chapter.all.contains { chapter in
        chapter.rules.contains { $0.isNamed(in: [name], chapter) }
      }
    }
    .sorted().map { name in
      SpecificationReport.Result(
        chapter: "selection", rule: name,
        demand: "Each name is that of a chapter, or of a rule as chapter/rule.", level: .models,
        isDeclared: true, problems: ["There is no chapter or rule of this name."])
    }
  }
}

extension Rule {
  fileprivate func isNamed(in names: Set<String>, _ chapter: Chapter) -> Bool {
    names.contains(chapter.name) || names.contains("\(chapter.name)/\(name)")
  }
}
