import Foundation
import OpenSwiftDataSQLSyntax

/// A value of one column, or computed from columns.
struct ScalarTerm {
  enum Kind: Hashable {
    case scalar(ScalarType)
    case rawValue(ScalarType, ObjectIdentifier)
    /// The primary key of a row in the hierarchy of the named root entity. Of a captured identifier also the
    /// number of its entity, if the table contains several.
    case key(root: String, entity: Int? = nil)
    /// The position in the store's history after a transaction: its number.
    case token
    /// A position between two transactions of this store: the number of the one before it. It is later than the
    /// transaction with this number if it is known to be that of another store's transaction.
    case betweenTokens(isLater: Bool)
    /// A `ComparisonResult`: -1, 0 or 1.
    case comparisonResult
    /// Only whether it is present can be tested.
    case opaque

    /// The type of the stored form, if values are compared in this form.
    var scalarType: ScalarType? {
      switch self {
      case .scalar(let type), .rawValue(let type, _): type
      case .comparisonResult: .int
      case .token: .int64
      case .key, .betweenTokens, .opaque: nil
      }
    }

    /// The type of the stored form in SQL.
    var sqlType: SQLType { scalarType?.traits.column.sqlType ?? .integer }
  }

  var value: SQLExpression
  var kind: Kind
  var presence: Presence = .always
  /// The Swift type of a `rawValue` term.
  var valueType: (any Any.Type)?
  /// Whether the value may be NaN. SQLite has null in its place, but the value is present.
  var mayBeNaN = false
  /// The number of the entity of the row with this key, if it may be one of several.
  var entity: SQLExpression?
  /// A faster way to find rows with certain texts than computing the text of each row.
  var search: TextSearch?

  var scalarType: ScalarType? { kind.scalarType }

  var isText: Bool { scalarType == .string }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression { presence.condition(of: value) }

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
  /// The value of a column.
  init(
    _ value: SQLExpression, _ column: ColumnMapping, valueType: any Any.Type, presence: Presence
  ) {
    let kind: Kind =
      switch column.content {
      case .scalar(let type):
        // A type that encodes itself as a scalar has its own order and equality.
        (unwrappedType(of: valueType) ?? valueType) is any ScalarCoding.Type
          ? .scalar(type) : .opaque
      case .rawValue(let type): .rawValue(type, ObjectIdentifier(valueType))
      case .encoded, .enumCase, .transformed, .key, .entityNumber: .opaque
      }
    self.init(value: value, kind: kind, presence: presence, valueType: valueType)
    mayBeNaN = !column.isOptional && (scalarType == .double || scalarType == .float)
  }

  /// A value made from two values; absent if one of them is absent.
  init(
    of first: ScalarTerm, _ second: ScalarTerm, _ kind: Kind,
    _ combine: (SQLExpression, SQLExpression) -> SQLExpression
  ) {
    let present = SQLExpression.all([first.isPresent, second.isPresent])
    self.init(
      value: combine(first.value, second.value), kind: kind,
      presence: present.isTrue ? .always : .when(present))
  }

  /// The term with a transformed value. The transformed value must be null if the value is null.
  func mapped(_ transform: (SQLExpression) -> SQLExpression) -> ScalarTerm {
    var result = self
    result.value = transform(value)
    return result
  }
}

// MARK: Comparison

extension ScalarTerm {
  /// A comparison of two values; 0 if one of them is NaN.
  func comparison(_ sign: SQLBinaryOperator, _ other: ScalarTerm) -> SQLExpression {
    let comparison = SQLExpression.binary(value, sign, other.value)
    return mayBeNaN || other.mayBeNaN ? .orFalse(comparison) : comparison
  }

  /// Equality as in Swift: two absent values are equal, and an absent value equals no other. Equal keys of two
  /// entities are different identifiers.
  func nullSafeEquality(_ other: ScalarTerm) throws -> SQLExpression {
    let haveSameValue = try nullSafeEqualityOfValues(other)
    guard let isOfEntity = isOfEntity(of: other.kind) ?? other.isOfEntity(of: kind) else {
      return haveSameValue
    }
    return .all([haveSameValue, isOfEntity])
  }

  /// The condition that the row with this key is of the entity of a captured key.
  func isOfEntity(of captured: Kind) -> SQLExpression? {
    guard let entity, case .key(_, let number?) = captured else { return nil }
    return .binary(entity, .equal, .integer(Int64(number)))
  }

  private func nullSafeEqualityOfValues(_ other: ScalarTerm) throws -> SQLExpression {
    guard kind.isComparable(to: other.kind) else {
      if kind.neverEquals(other.kind) { return .false }
      throw NotInSQL("equality of values of different kinds")
    }
    switch (presence, other.presence) {
    case (.always, .always): return comparison(.equal, other)
    case (.when(let present), .always): return .all([present, comparison(.equal, other)])
    case (.always, .when(let present)): return .all([present, comparison(.equal, other)])
    case _ where mayBeNaN || other.mayBeNaN:
      let (first, second) = (isPresent, other.isPresent)
      return .any([
        .all([first.negated, second.negated]),
        .all([first, second, comparison(.equal, other)]),
      ])
    default: return .binary(nullable, .isSame, other.nullable)
    }
  }

  /// A decimal in Swift's order, in which NaN is less than every number. PostgreSQL has it the other
  /// way round; `Decimal` has no infinity.
  static func withLeastNaN(_ value: SQLExpression) -> SQLExpression {
    .function("coalesce", [.function("nullif", [value, .text("NaN")]), .text("-Infinity")])
  }

  /// The comparison of unsigned numbers. Columns are signed: the upper half of the unsigned range
  /// is stored as negative numbers.
  func unsignedComparison(_ sign: SQLBinaryOperator, _ other: ScalarTerm) -> SQLExpression {
    let (leftUpper, rightUpper) = (
      SQLExpression.binary(value, .less, .integer(0)),
      SQLExpression.binary(other.value, .less, .integer(0))
    )
    let strict: SQLBinaryOperator = sign == .less || sign == .lessOrEqual ? .less : .greater
    return .any([
      .binary(leftUpper, strict, rightUpper),
      .all([.binary(leftUpper, .equal, rightUpper), .binary(value, sign, other.value)]),
    ])
  }
}

extension ScalarTerm.Kind {
  /// Whether equal stored forms mean equal values.
  func isComparable(to other: ScalarTerm.Kind) -> Bool {
    switch (self, other) {
    case (.scalar(let a), .scalar(let b)): a == b
    case (.rawValue(let a, _), .rawValue(let b, _)): a == b
    case (.key(let a, _), .key(let b, _)): a == b
    case (.comparisonResult, .comparisonResult): true
    case (.token, .token): true
    default: false
    }
  }

  /// Whether a value is of one kind, whichever of two terms it comes from.
  func isInterchangeable(with other: ScalarTerm.Kind) -> Bool {
    self == other || isComparable(to: other)
  }

  /// Whether the stored forms have the order of the values.
  func hasOrder(with other: ScalarTerm.Kind) -> Bool {
    switch (self, other) {
    case (.token, .betweenTokens), (.betweenTokens, .token): true
    default: isComparable(to: other)
    }
  }

  /// The sign that compares the stored forms as `sign` compares the values.
  func sign(_ sign: SQLBinaryOperator, to other: ScalarTerm.Kind) -> SQLBinaryOperator {
    switch (self, sign, other) {
    case (.token, .less, .betweenTokens(isLater: true)): .lessOrEqual
    case (.token, .greaterOrEqual, .betweenTokens(isLater: true)): .greater
    case (.betweenTokens(isLater: true), .lessOrEqual, .token): .less
    case (.betweenTokens(isLater: true), .greater, .token): .greaterOrEqual
    default: sign
    }
  }

  /// Whether values of the two kinds, which are not comparable, are always different.
  func neverEquals(_ other: ScalarTerm.Kind) -> Bool {
    switch (self, other) {
    case (.key, .key), (.token, .betweenTokens), (.betweenTokens, .token): true
    default: false
    }
  }
}

// MARK: Properties

extension ScalarTerm {
  /// `rawValue` of a value that is stored as its raw value. Other properties of the type are not
  /// stored. A key path does not contain its name, so this compares its value with the raw value of
  /// every case.
  func rawValue(_ keyPath: AnyKeyPath, _ type: ScalarType) throws -> ScalarTerm {
    guard let valueType = valueType as? any RawRepresentable.Type,
      Self.readsRawValue(keyPath, of: valueType)
    else { throw NotInSQL("a computed property of an enum") }
    return ScalarTerm(value: value, kind: .scalar(type), presence: presence)
  }

  /// Whether a key path of a type with a raw value reads that.
  static func readsRawValue<T: RawRepresentable>(_ keyPath: AnyKeyPath, of type: T.Type)
    -> Bool
  {
    if KeyPathText(keyPath).components == ["rawValue"] { return true }
    guard let path = keyPath as? KeyPath<T, T.RawValue>,
      let cases = TypeReflection.values(of: type)
    else { return false }
    return cases.allSatisfy { enumCase in
      let (raw, read) = (enumCase.value.rawValue, enumCase.value[keyPath: path])
      return (raw as? AnyHashable) == (read as? AnyHashable)
    }
  }

  /// The length of a text or of bytes, or whether it is 0.
  func count(testingEmptiness: Bool?) throws -> ScalarTerm {
    guard let testingEmptiness, let type = scalarType, type == .string || type == .data else {
      throw NotInSQL("a computed property")
    }
    var result = self
    if testingEmptiness {
      result.value =
        type == .string
        ? .binary(value, .equal, .text(""))
        : .binary(.function("length", [value]), .equal, .integer(0))
      result.kind = .scalar(.bool)
    } else {
      result.value = .function(type == .string ? "swift_count" : "length", [value])
      result.kind = .scalar(.int)
    }
    return result
  }

  /// A date as a number of seconds; `nil` for other properties of dates.
  func seconds(_ keyPath: AnyKeyPath) -> ScalarTerm? {
    var result = self
    result.kind = .scalar(.double)
    switch keyPath {
    case \Date.timeIntervalSinceReferenceDate: return result
    case \Date.timeIntervalSince1970:
      let offset = Int64(Date.timeIntervalBetween1970AndReferenceDate)
      result.value = .binary(value, .add, .integer(offset))
      return result
    default: return nil
    }
  }
}
