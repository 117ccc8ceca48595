package import OpenSwiftDataSQLSyntax

/// What a dialect offers in place of a function of this library.
package enum FunctionCounterpart {
  /// An expression with the same value.
  case exact(SQLExpression)
  /// A condition that is true wherever the function is, and possibly elsewhere: the rows that it
  /// selects are evaluated again in memory.
  case superset(SQLExpression)
  /// No replacement.
  case memoryOnly
}

extension SQLFunction {
  /// The replacement for a function call, in a database where Swift functions cannot be registered.
  package static func counterpart(
    of name: String, _ arguments: [SQLExpression], in dialect: SQLDialect
  ) -> FunctionCounterpart {
    switch dialect {
    // SQLite has all functions registered; without them it has no Unicode normalisation to use.
    case .sqlite: return .memoryOnly
    case .postgreSQL: break
    }
    func decomposed(_ index: Int) -> SQLExpression {
      .decomposed(arguments[index])
    }
    switch (name, arguments.count) {
    case ("swift_canonical", 1):
      return .exact(.composed(arguments[0]))
    // If whole characters are contained in a text, their decomposed scalars are contained too.
    case ("swift_contains", 2), ("swift_ends", 2):
      return .superset(
        .binary(.function("strpos", [decomposed(0), decomposed(1)]), .greater, .integer(0)))
    case ("swift_starts", 2), ("swift_starts_with", 2):
      return .superset(.function("starts_with", [decomposed(0), decomposed(1)]))
    default: return .memoryOnly
    }
  }
}

/// Replaces this library's functions and collations, for databases without them.
///
/// An exact counterpart may replace a call anywhere. A superset may replace it only where more rows
/// cannot exclude others: under `AND`, `OR`, `EXISTS` and `IN`, not under `NOT` or in a value.
/// Everything else is left to memory.
struct FunctionCounterparts {
  private let database: SQLCapabilities
  /// The reason why the condition must be evaluated again in memory; set if a superset was used.
  private(set) var widening: String?

  init(_ database: SQLCapabilities) {
    self.database = database
  }

  mutating func applied(to condition: SQLExpression) throws -> SQLExpression {
    if database.functions == .all { return condition }
    return try replaced(condition, mayWiden: true)
  }

  mutating func applied(toValue value: SQLExpression) throws -> SQLExpression {
    if database.functions == .all { return value }
    return try replaced(value, mayWiden: false)
  }

  private mutating func replaced(
    _ expression: SQLExpression, mayWiden: Bool
  ) throws -> SQLExpression {
    switch expression {
    case .conjunction, .disjunction:
      return try expression.mappingOperands { try replaced($0, mayWiden: mayWiden) }
    case .exists(let select):
      return .exists(try replaced(select, mayWiden: mayWiden))
    case .inSelect(let value, let select):
      return .inSelect(
        try replaced(value, mayWiden: false), try replaced(select, mayWiden: mayWiden))
    case .collate(_, let collation) where SQLCollation.isOurs(collation):
      throw NotInSQL("a text order that the database does not support")
    case .function(let name, let arguments):
      if let condition = expression.conditionOrFalse {
        return .orFalse(try replaced(condition, mayWiden: mayWiden))
      }
      let inner = try arguments.map { try replaced($0, mayWiden: false) }
      guard SQLFunction.isOurs(name) else { return .function(name, inner) }
      switch SQLFunction.counterpart(of: name, inner, in: database.dialect) {
      case .exact(let counterpart): return counterpart
      case .superset(let counterpart) where mayWiden:
        widening = "the database matches more rows than Swift"
        return counterpart
      case .superset, .memoryOnly: throw NotInSQL("\(name) is unknown to the database")
      }
    default: return try expression.mappingOperands { try replaced($0, mayWiden: false) }
    }
  }

  /// The condition may select more rows; all other parts of a query are values.
  private mutating func replaced(_ select: Select, mayWiden: Bool) throws -> Select {
    var outer = select
    outer.condition = nil
    outer = try outer.mappingExpressions { try replaced($0, mayWiden: false) }
    outer.condition = try select.condition.map {
      try replaced($0, mayWiden: mayWiden && select.limit == nil)
    }
    return outer
  }
}
