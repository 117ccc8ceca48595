import Foundation
import OpenSwiftDataSQLSyntax

/// The SQL counterpart of an expression in a predicate.
enum SQLTerm {
  case scalar(ScalarTerm)
  case object(ObjectTerm)
  case record(RecordTerm)
  case composite(CompositeTerm)
  case collection(CollectionTerm)
  case list(ListTerm)
  case identifier(IdentifierTerm)
  /// A value that does not depend on a row.
  case captured(Any)
  /// An optional in an optional: the inner one, and the condition, 0 or 1, that the outer one is
  /// present.
  indirect case nested(SQLTerm, isPresent: SQLExpression)
  indirect case range(lower: SQLTerm?, upper: SQLTerm?, includesUpper: Bool)

  /// The kind of term, for error reasons.
  var label: String {
    switch self {
    case .scalar: "a value"
    case .object: "a model"
    case .record: "a record"
    case .composite: "a composite value"
    case .collection: "a relationship"
    case .list: "a list of values"
    case .identifier: "an identifier"
    case .captured: "a captured value"
    case .nested: "an optional of an optional"
    case .range: "a range"
    }
  }
}

/// When a value is present, and not `nil`.
enum Presence: Equatable {
  case always
  /// The expression is null if the value is `nil`.
  case whenNotNull
  /// The value is present if the condition, which is 0 or 1, is 1; otherwise the expression has no
  /// meaning.
  case when(SQLExpression)
}

extension Presence {
  /// The condition, 0 or 1, that a value with this presence is present.
  func condition(of value: SQLExpression) -> SQLExpression {
    switch self {
    case .always: .true
    case .whenNotNull: value.isNotNull
    case .when(let condition): condition
    }
  }

  var isConditional: Bool {
    if case .when = self { true } else { false }
  }
}

extension SQLTerm {
  static func boolean(_ condition: SQLExpression) -> SQLTerm { .scalar(.boolean(condition)) }

  var isCaptured: Bool {
    if case .captured = self { true } else { false }
  }

  /// The term as a condition that is 0 or 1.
  var condition: SQLExpression {
    get throws {
      switch self {
      case .captured(let value):
        guard let value = value as? Bool else { throw NotInSQL("not a condition") }
        return value ? .true : .false
      case .scalar(let scalar) where scalar.scalarType == .bool:
        switch scalar.presence {
        // A bare column is not a condition that can use an index.
        case .always where scalar.value.isColumn: return .binary(scalar.value, .equal, .true)
        case .always: return scalar.value
        case .whenNotNull: return .orFalse(scalar.value)
        case .when(let present): return .all([present, scalar.value])
        }
      default: throw NotInSQL("\(label) is not a condition")
      }
    }
  }

  /// The condition, 0 or 1, that the value is `nil`.
  var absence: SQLExpression {
    get throws {
      switch self {
      case .scalar(let scalar): return scalar.isPresent.negated
      case .object(let object): return object.isPresent.negated
      case .composite(let composite): return composite.isAbsent
      // A stored to-many relationship is never nil.
      case .collection: return .false
      case .list(let list): return list.isPresent.negated
      // An identifier exists if its row exists.
      case .identifier: return .false
      case .nested(_, let isPresent): return isPresent.negated
      case .captured, .record, .range: throw NotInSQL("the absence of \(label)")
      }
    }
  }
}

extension SQLExpression {
  /// The number of a parameter, with or without a cast to its type.
  var parameterIndex: Int? {
    switch self {
    case .parameter(let index), .cast(.parameter(let index), to: _): index
    default: nil
    }
  }

  var isColumn: Bool {
    if case .column = self { true } else { false }
  }
}
