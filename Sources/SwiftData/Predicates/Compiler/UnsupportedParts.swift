import Foundation

/// The parts of a predicate that are left to memory, with the reasons.
///
/// The parts can be evaluated instead of the whole predicate. If one of them cannot be evaluated
/// alone, the whole predicate has to be evaluated, and `remainder` stays `nil`.
struct UnsupportedParts {
  /// The reasons, in the order of the parts.
  private(set) var reasons: [String] = []
  /// The parts; `nil` if one of them cannot be evaluated alone.
  private(set) var remainder: [any StandardPredicateExpression<Bool>]? = []

  /// Leaves a part to memory.
  /// - Parameter standsAlone: Whether the part has only the variables of the predicate.
  mutating func add(
    _ part: any PredicateExpression, standsAlone: Bool, because error: any Error
  ) {
    let rest = standsAlone ? part as? any StandardPredicateExpression<Bool> : nil
    remainder = rest.flatMap { rest in remainder.map { $0 + [rest] } }
    reasons.append(Self.reason(error, in: part))
  }

  /// Leaves the whole predicate to memory.
  mutating func addWhole(_ expression: any PredicateExpression, because error: any Error) {
    remainder = nil
    reasons.append(Self.reason(error, in: expression))
  }

  private static func reason(
    _ error: any Error, in expression: any PredicateExpression
  ) -> String {
    let error = error as? NotInSQL
    let part = error?.part ?? PredicateSource.text(of: expression)
    return "\(part): \(error?.reason ?? "a captured value cannot be evaluated")"
  }
}

/// The reason why a part of a predicate is evaluated in memory.
struct NotInSQL: Error {
  let reason: String
  /// The source text of the part.
  var part: String?

  init(_ reason: String) {
    self.reason = reason
  }

  static let orderOfItsOwn = NotInSQL("a sort order that the type of the values defines")
}
