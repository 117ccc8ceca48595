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

/// A value of one column, or computed from columns.
struct ScalarTerm {
  enum Kind: Hashable {
    case scalar(ScalarType)
    case rawValue(ScalarType, ObjectIdentifier)
    /// The primary key of a row in the hierarchy of the named root entity.
    case key(root: String)
    /// The position in the store's history after a transaction: its number.
    case token
    /// A position between two transactions of this store: the number of the one before it.
    case betweenTokens
    /// A `ComparisonResult`: -1, 0 or 1.
    case comparisonResult
    /// Only whether it is present can be tested.
    case opaque
  }

  var value: SQLExpression
  var kind: Kind
  var presence: Presence = .always
  /// The Swift type of a `rawValue` term.
  var valueType: (any Any.Type)?
  /// Whether the value may be NaN. SQLite has null in its place, but the value is present.
  var mayBeNaN = false
  /// A faster way to find rows with certain texts than computing the text of each row.
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

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression {
    switch presence {
    case .always: .true
    case .whenNotNull: value.isNotNull
    case .when(let condition): condition
    }
  }

  /// The value, or null if it is absent.
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
  /// A comparison of two values; 0 if one of them is NaN.
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
    /// The row with this primary key; its table is joined when a column is read.
    case key(SQLExpression)
  }

  var entity: EntityMapping
  var source: Source
  /// The nesting level of the query in which the source's columns are visible; the outermost is 0.
  var scope: Int
  var presence: Presence = .always

  var key: SQLExpression {
    switch source {
    case .row(let alias): RowColumns.key(of: alias)
    case .key(let expression): expression
    }
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression {
    switch presence {
    case .always: .true
    case .whenNotNull: key.isNotNull
    case .when(let condition): condition
    }
  }
}

/// A value in several columns of one row.
struct CompositeTerm {
  var alias: String
  var leaves: [LeafMapping]
  /// The number of path components that lead from the property to this value.
  var depth: Int
  /// Whether the value may be absent; then every column is null.
  var isOptional: Bool
  /// The Swift type of the property.
  var valueType: (any Any.Type)?

  var columns: [SQLExpression] {
    leaves.map { .column(table: alias, name: $0.column.name) }
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression {
    .any(columns.map(\.isNotNull))
  }
}

/// The members of a to-many relationship, or the rows that belong to a record; may be filtered.
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
