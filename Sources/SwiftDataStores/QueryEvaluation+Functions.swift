import Foundation
import SwiftData

/// The functions that a query may call.
extension QueryEvaluation {
  func call(
    _ function: DataStoreQuery.Function, _ operands: [Expression]
  ) throws -> DataStoreValue {
    switch function {
    // What may leave operands unevaluated.
    case .and: return .boolean(try operands.allSatisfy { try boolean($0) })
    case .or: return .boolean(try operands.contains { try boolean($0) })
    case .conditional: return try value(try boolean(operands[0]) ? operands[1] : operands[2])
    case .coalesce:
      let first = try value(operands[0])
      return first.isNull ? try value(operands[1]) : first
    case .falseOnFailure:
      do {
        return .boolean(try boolean(operands[0]))
      } catch is FailedStep {
        return .boolean(false)
      }
    default: return try apply(function, try operands.map { try value($0) })
    }
  }

  private func apply(
    _ function: DataStoreQuery.Function, _ values: [DataStoreValue]
  ) throws -> DataStoreValue {
    switch function {
    case .and, .or, .conditional, .coalesce, .falseOnFailure, .fail: throw FailedStep()
    case .not:
      guard case .boolean(let value) = values[0] else { throw unfit(values[0], "a condition") }
      return .boolean(!value)
    case .equal: return .boolean(values[0].equals(values[1]))
    case .notEqual: return .boolean(!values[0].equals(values[1]))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .boolean(try compares(function, values[0], values[1]))
    case .isInRange, .isInClosedRange:
      guard try compares(.lessOrEqual, values[1], values[2]) else { throw FailedStep() }
      let isBelow = try compares(
        function == .isInRange ? .less : .lessOrEqual, values[0], values[2])
      return .boolean(try compares(.greaterOrEqual, values[0], values[1]) && isBelow)
    case .rank:
      let rank = try list(values[1]).firstIndex { element in
        guard case .list(let equals) = element else { return element.equals(values[0]) }
        return equals.contains { $0.equals(values[0]) }
      }
      return rank.map { .integer(Int64($0)) } ?? .null
    case .forceUnwrap:
      if values[0].isNull { throw FailedStep() }
      return values[0]
    case .isEntity: return .boolean(try isKind(values[0], of: values[1]))
    case .asEntity: return try isKind(values[0], of: values[1]) ? values[0] : .null
    case .count: return .integer(Int64(try count(values[0])))
    case .isEmpty: return .boolean(try count(values[0]) == 0)
    case .contains: return .boolean(try list(values[0]).contains { $0.equals(values[1]) })
    case .first: return try list(values[0]).first ?? .null
    case .minimum, .maximum: return try extreme(function, try list(values[0]))
    case .element:
      let list = try list(values[0])
      guard case .integer(let position) = values[1] else { throw unfit(values[1], "a position") }
      guard position >= 0, position < Int64(list.count) else { throw FailedStep() }
      return list[Int(position)]
    case .entry:
      guard case .composite(let entries) = values[0] else {
        throw unfit(values[0], "a dictionary")
      }
      return entries[try text(values[1])] ?? .null
    case .secondsSince2001:
      return .double(try date(values[0]).timeIntervalSinceReferenceDate)
    case .secondsSince1970: return .double(try date(values[0]).timeIntervalSince1970)
    case .dateAdding: return .date(try date(values[0]) + seconds(values[1]))
    case .dateSubtracting: return .date(try date(values[0]) - seconds(values[1]))
    case .secondsBetween:
      return .double(try date(values[1]).timeIntervalSince(date(values[0])))
    case .containsText, .startsWith, .hasPrefix, .hasSuffix, .localizedStandardContains,
      .localizedCaseInsensitiveContains, .matches, .localizedCompare, .caseInsensitiveCompare,
      .localizedCaseInsensitiveCompare, .localizedStandardCompare, .concatenate, .lowercased,
      .uppercased, .trimWhitespaces, .trimNewlines, .trimWhitespacesAndNewlines:
      return try applyToTexts(function, try values.map { try text($0) })
    }
  }

  // MARK: Operands

  private func list(_ value: DataStoreValue) throws -> [DataStoreValue] {
    guard case .list(let elements) = value else { throw unfit(value, "a list") }
    return elements
  }

  private func text(_ value: DataStoreValue) throws -> String {
    guard case .string(let text) = value else { throw unfit(value, "a text") }
    return text
  }

  private func date(_ value: DataStoreValue) throws -> Date {
    guard case .date(let date) = value else { throw unfit(value, "a date") }
    return date
  }

  private func seconds(_ value: DataStoreValue) throws -> Double {
    guard case .double(let seconds) = value else { throw unfit(value, "a number of seconds") }
    return seconds
  }

  private func isKind(_ value: DataStoreValue, of entity: DataStoreValue) throws -> Bool {
    switch value {
    case .null: return false
    case .identifier(let row): return isKind(row, of: try text(entity))
    default: throw unfit(value, "a row")
    }
  }

  private func compares(
    _ function: DataStoreQuery.Function, _ left: DataStoreValue, _ right: DataStoreValue
  ) throws -> Bool {
    guard let result = left.compares(function, right) else {
      throw QueryEvaluationError("\(left.kindName) and \(right.kindName) have no order.")
    }
    return result
  }

  // MARK: Lists

  private func count(_ value: DataStoreValue) throws -> Int {
    switch value {
    case .string(let text): text.count
    case .data(let bytes): bytes.count
    case .list(let elements): elements.count
    case .composite(let entries): entries.count
    default: throw unfit(value, "a text or a list")
    }
  }

  private func extreme(
    _ function: DataStoreQuery.Function, _ list: [DataStoreValue]
  ) throws -> DataStoreValue {
    let isLess: (DataStoreValue, DataStoreValue) throws -> Bool = {
      try self.compares(.less, $0, $1)
    }
    let found = try function == .minimum ? list.min(by: isLess) : list.max(by: isLess)
    return found ?? .null
  }
}
