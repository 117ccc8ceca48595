import Foundation
import OpenSwiftDataSQLSyntax

/// What an expression of a predicate is in SQL.
enum SQLTerm {
  case scalar(ScalarTerm)
  case object(ObjectTerm)
  case record(RecordTerm)
  case composite(CompositeTerm)
  case collection(CollectionTerm)
  case list(ListTerm)
  case identifier(IdentifierTerm)
  /// A value that no row has a part in.
  case captured(Any)
  indirect case range(lower: SQLTerm?, upper: SQLTerm?, includesUpper: Bool)

  /// The name of the case, for reasons.
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
    case .range: "a range"
    }
  }
}

/// When a value is there and not `nil`.
enum Presence: Equatable {
  case always
  /// The expression itself is null when the value is `nil`.
  case whenNotNull
  /// The condition, which is 0 or 1, tells; where it is 0 the expression means nothing.
  case when(SQLExpression)
}

/// A value of one column or computed from some.
struct ScalarTerm {
  enum Kind: Hashable {
    case scalar(ScalarType)
    /// The raw value of the type.
    case rawValue(ScalarType, ObjectIdentifier)
    /// The primary key of a row in the hierarchy of the named root entity.
    case key(root: String)
    /// The place in the history of the store right after a transaction: its number.
    case token
    /// A place that no transaction of this store has: the last number before it.
    case betweenTokens
    /// A `ComparisonResult`: -1, 0 or 1.
    case comparisonResult
    /// Only its absence can be asked for.
    case opaque
  }

  var value: SQLExpression
  var kind: Kind
  var presence: Presence = .always
  /// The Swift type of a `rawValue` term.
  var valueType: (any Any.Type)?
  /// Whether the value may be no number. SQLite has null in its place, though the value is present.
  var mayBeNaN = false
  /// A way to the rows with certain texts that is faster than computing the value of each.
  var search: TextSearch?

  var scalarType: ScalarType? {
    switch kind {
    case .scalar(let type), .rawValue(let type, _): type
    case .comparisonResult: .int
    case .token: .int64
    case .key, .betweenTokens, .opaque: nil
    }
  }

  var isText: Bool { scalarType == .string }

  /// 0 or 1.
  var isPresent: SQLExpression {
    switch presence {
    case .always: .true
    case .whenNotNull: value.isNotNull
    case .when(let condition): condition
    }
  }

  /// The value, or null where it is absent.
  var nullable: SQLExpression {
    if case .when(let condition) = presence {
      return .conditional([SQLBranch(when: condition, then: value)], otherwise: nil)
    }
    return value
  }

  static func boolean(_ condition: SQLExpression) -> ScalarTerm {
    ScalarTerm(value: condition, kind: .scalar(.bool))
  }
}

extension ScalarTerm {
  /// A comparison of two values, 0 where one of them is no number.
  func comparison(_ sign: SQLBinaryOperator, _ other: ScalarTerm) -> SQLExpression {
    let comparison = SQLExpression.binary(value, sign, other.value)
    return mayBeNaN || other.mayBeNaN ? .orFalse(comparison) : comparison
  }
}

extension SQLTerm {
  static func boolean(_ condition: SQLExpression) -> SQLTerm { .scalar(.boolean(condition)) }
}

/// A row of an entity's table.
struct ObjectTerm {
  enum Source: Equatable {
    /// A row of a table in the query.
    case row(alias: String)
    /// The row that has this primary key; its table joins the query when a column is read.
    case key(SQLExpression)
  }

  var entity: EntityMapping
  var source: Source
  /// The query in which the source's columns are visible, counted from the outermost.
  var scope: Int
  var presence: Presence = .always

  var key: SQLExpression {
    switch source {
    case .row(let alias): RowColumns.key(of: alias)
    case .key(let expression): expression
    }
  }

  /// 0 or 1.
  var isPresent: SQLExpression {
    switch presence {
    case .always: .true
    case .whenNotNull: key.isNotNull
    case .when(let condition): condition
    }
  }
}

/// A value that fills several columns of one row.
struct CompositeTerm {
  var alias: String
  var leaves: [LeafMapping]
  /// How many components of the leaves' paths lead to this value.
  var depth: Int
  /// Whether the value may be absent, which shows as null in every column.
  var isOptional: Bool
  /// The Swift type of a property that is stored this way.
  var valueType: (any Any.Type)?

  var columns: [SQLExpression] {
    leaves.map { .column(table: alias, name: $0.column.name) }
  }

  /// 0 or 1.
  var isPresent: SQLExpression {
    .any(columns.map(\.isNotNull))
  }
}

/// The destinations of a to-many relationship, or the rows that belong to a record; filtered or not.
struct CollectionTerm {
  struct Filter {
    var variable: PredicateExpressions.VariableID
    var test: any PredicateExpression
  }

  struct Relationship {
    var owner: ObjectTerm
    var mapping: ToManyMapping
    var destination: EntityMapping
  }

  enum Source {
    case relationship(Relationship)
    case records(RecordLink, owner: RecordTerm)
  }

  var source: Source
  var filters: [Filter] = []

  init(_ source: Source) { self.source = source }

  var ownerKey: SQLExpression {
    switch source {
    case .relationship(let relationship): relationship.owner.key
    case .records(_, let owner): owner.key
    }
  }
}
