package import OpenSwiftDataSQLSyntax

/// What a dialect has in place of a function of ours.
package enum FunctionCounterpart {
  /// An expression with the same value.
  case exact(SQLExpression)
  /// A condition that holds wherever the function does, and perhaps elsewhere: the rows that it finds
  /// are judged again in memory.
  case superset(SQLExpression)
  /// Nothing.
  case memoryOnly
}

extension SQLFunction {
  /// What stands for a call of a function of ours in a database that nobody can teach it.
  package static func counterpart(
    of name: String, _ arguments: [SQLExpression], in dialect: SQLDialect
  ) -> FunctionCounterpart {
    switch dialect {
    // SQLite is taught all of them; without, it has no forms of Unicode to fall back upon.
    case .sqlite: return .memoryOnly
    case .postgreSQL: break
    }
    func decomposed(_ index: Int) -> SQLExpression {
      .decomposed(arguments[index])
    }
    switch (name, arguments.count) {
    case ("swift_canonical", 1):
      return .exact(.composed(arguments[0]))
    // A part of a text in whole characters is a part of its decomposed scalars too.
    case ("swift_contains", 2), ("swift_ends", 2):
      return .superset(
        .binary(.function("strpos", [decomposed(0), decomposed(1)]), .greater, .integer(0)))
    case ("swift_starts", 2), ("swift_starts_with", 2):
      return .superset(.function("starts_with", [decomposed(0), decomposed(1)]))
    default: return .memoryOnly
    }
  }
}

/// Puts counterparts in the place of our functions and collations, for databases without them.
///
/// An exact counterpart may stand anywhere, a superset only where more rows can but widen the whole:
/// under `AND`, `OR`, `EXISTS` and `IN`, not under `NOT` or in a value. Anything else is no SQL.
struct FunctionCounterparts {
  private let database: SQLCapabilities
  /// Why the condition has to be judged again, once a superset stands in it.
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
      throw NotInSQL("an order of text that the database does not know")
    case .function(let name, let arguments):
      if let condition = expression.conditionOrFalse {
        return .orFalse(try replaced(condition, mayWiden: mayWiden))
      }
      let inner = try arguments.map { try replaced($0, mayWiden: false) }
      guard SQLFunction.isOurs(name) else { return .function(name, inner) }
      switch SQLFunction.counterpart(of: name, inner, in: database.dialect) {
      case .exact(let counterpart): return counterpart
      case .superset(let counterpart) where mayWiden:
        widening = "the database finds more than Swift does"
        return counterpart
      case .superset, .memoryOnly: throw NotInSQL("\(name) is unknown to the database")
      }
    default: return try expression.mappingOperands { try replaced($0, mayWiden: false) }
    }
  }

  /// The condition may find more rows; everything else of a query is values.
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

extension SQLFunction {
  fileprivate static func isOurs(_ name: String) -> Bool { name.hasPrefix("swift_") }
}

extension SQLCollation {
  fileprivate static func isOurs(_ name: String) -> Bool { name.hasPrefix("swift_") }
}
