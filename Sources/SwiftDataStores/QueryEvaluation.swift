import Foundation
import SwiftData

/// Evaluates expressions of a query for one row after another.
///
/// A step without a result throws `FailedStep`, which passes to the nearest `falseOnFailure`.
final class QueryEvaluation {
  typealias Expression = DataStoreQuery.Expression

  /// A step of an expression without a result.
  struct FailedStep: Error {}

  private let rows: [PersistentIdentifier: [String: DataStoreValue]]
  private let lineages: [String: Set<String>]
  /// The values of the bound variables.
  private var variables: [Int: DataStoreValue] = [:]
  /// The regular expressions of the query by their text.
  private var patterns: [String: Regex<AnyRegexOutput>] = [:]

  init(
    rows: [PersistentIdentifier: [String: DataStoreValue]], lineages: [String: Set<String>]
  ) {
    self.rows = rows
    self.lineages = lineages
  }

  func isKind(_ row: PersistentIdentifier, of entity: String) -> Bool {
    lineages[row.entityName]?.contains(entity) ?? false
  }

  /// Whether a row satisfies a condition.
  func matches(_ condition: Expression, _ row: PersistentIdentifier) throws -> Bool {
    variables = [0: .identifier(row)]
    do {
      return try boolean(condition)
    } catch is FailedStep {
      return false
    }
  }

  /// The value of an expression; `nil` if a step of it fails.
  func value(of expression: Expression, for row: PersistentIdentifier) throws -> DataStoreValue {
    variables = [0: .identifier(row)]
    do {
      return try value(expression)
    } catch is FailedStep {
      return .null
    }
  }

  // MARK: Walking

  func value(_ expression: Expression) throws -> DataStoreValue {
    switch expression {
    case .value(let value): return value
    case .variable(let number):
      guard let value = variables[number] else {
        throw QueryEvaluationError("The variable \(number) is not bound.")
      }
      return value
    case .property(let name, let kind, let root): return try property(name, kind, of: root)
    case .call(let function, let operands):
      guard function.operandCounts.contains(operands.count) else {
        throw QueryEvaluationError("\(function.rawValue) has \(operands.count) operands.")
      }
      return try call(function, operands)
    case .compute(let operation, let type, let operands):
      guard operands.count == operation.operandCount else {
        throw QueryEvaluationError("\(operation.rawValue) has \(operands.count) operands.")
      }
      return try compute(operation, type, try operands.map { try value($0) })
    case .closure(let closure, let root, let variable, let body):
      return try run(closure, over: try value(root), variable, body)
    }
  }

  func boolean(_ expression: Expression) throws -> Bool {
    let value = try value(expression)
    guard case .boolean(let result) = value else { throw unfit(value, "a condition") }
    return result
  }

  func unfit(_ value: DataStoreValue, _ wanted: String) -> QueryEvaluationError {
    QueryEvaluationError("An operand is not \(wanted), but \(value.kindName).")
  }

  private func property(
    _ name: String, _ kind: DataStoreQuery.PropertyKind, of root: Expression
  ) throws -> DataStoreValue {
    let found: DataStoreValue
    switch try value(root) {
    case .null: return .null
    case .identifier(let row): found = rows[row]?[name] ?? .null
    case .composite(let parts): found = parts[name] ?? .null
    case let other: throw unfit(other, "a value with properties")
    }
    if case .toMany = kind, found.isNull { return .list([]) }
    return found
  }

  // MARK: Closures

  private func run(
    _ closure: DataStoreQuery.Closure, over root: DataStoreValue, _ variable: Int,
    _ body: Expression
  ) throws -> DataStoreValue {
    let outer = variables[variable]
    defer { variables[variable] = outer }
    switch closure {
    case .flatMap, .bind:
      if closure == .flatMap, root.isNull { return .null }
      variables[variable] = root
      return try value(body)
    case .contains, .allSatisfy, .filter:
      guard case .list(let elements) = root else { throw unfit(root, "a list") }
      func test(_ element: DataStoreValue) throws -> Bool {
        variables[variable] = element
        return try boolean(body)
      }
      return switch closure {
      case .contains: .boolean(try elements.contains(where: test))
      case .allSatisfy: .boolean(try elements.allSatisfy(test))
      default: .list(try elements.filter(test))
      }
    }
  }

  // MARK: Regular expressions

  func matches(_ text: String, _ pattern: String) throws -> Bool {
    if let regex = patterns[pattern] { return text.contains(regex) }
    guard let regex = try? Regex(pattern) else {
      throw QueryEvaluationError("A regular expression is not valid.")
    }
    patterns[pattern] = regex
    return text.contains(regex)
  }
}

extension DataStoreValue {
  /// The kind of a value, for errors, which do not have the values.
  var kindName: String {
    switch self {
    case .null: "nil"
    case .boolean: "a Boolean value"
    case .integer, .unsigned, .double, .decimal: "a number"
    case .string: "a text"
    case .data: "data"
    case .date: "a date"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .identifier: "a row"
    case .list: "a list"
    case .composite: "a composite value"
    }
  }
}
