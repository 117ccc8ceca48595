import Foundation
import SwiftData

/// The functions of texts, which are those of Swift and Foundation.
extension QueryEvaluation {
  func applyToTexts(
    _ function: DataStoreQuery.Function, _ texts: [String]
  ) throws -> DataStoreValue {
    let text = texts[0]
    let other = texts.count > 1 ? texts[1] : ""
    switch function {
    case .containsText: return .boolean(Self.contains(text, other))
    case .startsWith: return .boolean(Self.starts(text, with: other))
    case .hasPrefix: return .boolean(text.hasPrefix(other))
    case .hasSuffix: return .boolean(text.hasSuffix(other))
    case .localizedStandardContains: return .boolean(text.localizedStandardContains(other))
    case .localizedCaseInsensitiveContains:
      return .boolean(text.localizedCaseInsensitiveContains(other))
    case .matches: return .boolean(try matches(text, other))
    case .localizedCompare: return Self.result(text.localizedCompare(other))
    case .caseInsensitiveCompare: return Self.result(text.caseInsensitiveCompare(other))
    case .localizedCaseInsensitiveCompare:
      return Self.result(text.localizedCaseInsensitiveCompare(other))
    case .localizedStandardCompare: return Self.result(text.localizedStandardCompare(other))
    case .concatenate: return .string(text + other)
    case .lowercased: return .string(text.lowercased())
    case .uppercased: return .string(text.uppercased())
    case .trimWhitespaces: return .string(text.trimmingCharacters(in: .whitespaces))
    case .trimNewlines: return .string(text.trimmingCharacters(in: .newlines))
    case .trimWhitespacesAndNewlines:
      return .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
    default: throw QueryEvaluationError("\(function.rawValue) is no function of texts.")
    }
  }

  private static func result(_ result: ComparisonResult) -> DataStoreValue {
    .integer(Int64(result.rawValue))
  }

  // Foundation's `contains` of texts is false for the empty one, and `hasPrefix` may compare bytes.
  // Predicates compare collections of characters here.

  private static func contains<Text: Collection>(_ text: Text, _ part: Text) -> Bool
  where Text.Element: Equatable {
    text.contains(part)
  }

  private static func starts<Text: Sequence>(_ text: Text, with start: Text) -> Bool
  where Text.Element: Equatable {
    text.starts(with: start)
  }
}
