import Foundation

extension Trial {
  /// Notes a problem unless a value is the expected one.
  func expect<V: Equatable>(_ subject: String, _ value: V, _ expected: V) {
    if value != expected { problem("\(subject): \(Trial.difference(of: value, from: expected)).") }
  }

  /// Notes a problem unless a condition holds.
  func expect(_ holds: Bool, _ text: String) {
    if !holds { problem(text) }
  }

  /// The value, or the end of the rule.
  func require<V>(_ subject: String, _ value: V?) throws -> V {
    if let value { return value }
    problem("\(subject): expected a value, found none.")
    throw RuleEnd()
  }

  /// Notes a problem unless `body` throws.
  func expectError(_ subject: String, _ body: () throws -> Void) {
    do {
      try body()
      problem("\(subject): expected an error, but nothing was thrown.")
    } catch {}
  }

  /// What was expected and what came. Of long lists only their first difference is named; texts
  /// that look the same are written with their scalars.
  static func difference<V>(of value: V, from expected: V) -> String {
    if let value = value as? [AnyHashable], let expected = expected as? [AnyHashable],
      max(value.count, expected.count) > 12
    {
      let same = zip(value, expected).prefix { $0 == $1 }.count
      func text(_ list: [AnyHashable]) -> String {
        list.indices.contains(same) ? Trial.text(list[same].base) : "the end"
      }
      return "expected \(expected.count) elements, found \(value.count); at position \(same) "
        + "expected \(text(expected)), found \(text(value))"
    }
    let (found, wanted) = (text(value), text(expected))
    if found != wanted { return "expected \(wanted), found \(found)" }
    return "expected \(scalars(of: wanted)), found \(scalars(of: found))"
  }

  /// A value for a message: texts with their escapes, long ones shortened.
  static func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return mirror.children.first.map { text($0.value) } ?? "nil"
    }
    if mirror.displayStyle == .set {
      return "[\(mirror.children.map { text($0.value) }.sorted().joined(separator: ", "))]"
    }
    switch value {
    case let data as Data: return "\(data.count) bytes"
    case let text as String: return shortened(text.debugDescription)
    case let date as Date: return "\(date.timeIntervalSinceReferenceDate) s since 2001"
    case let list as [Any]: return "[\(list.map(text).joined(separator: ", "))]"
    default:
      return shortened(
        String(describing: value).replacingOccurrences(of: "SwiftDataTesting.Specimens.", with: ""))
    }
  }

  private static func scalars(of text: String) -> String {
    text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
  }

  private static func shortened(_ text: String) -> String {
    text.count > 120 ? "\(text.prefix(100))… (\(text.count) characters)" : text
  }
}
