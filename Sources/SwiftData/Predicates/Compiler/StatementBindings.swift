import OpenSwiftDataSQLSyntax

/// The values that a statement binds, and whether its text depends on them.
///
/// The compiler, text rules and text searches bind values here and use the returned parameter.
///
/// * Parameter `n` stands for `values[n]`. Values are only appended; `rewind` removes those of a
///   part that was given up, and `compact` those that the finished condition does not use.
/// * A value that is not bound as it was captured makes the statement depend on values, so that no
///   other request shares its plan. This never becomes false again, even if the value is removed.
struct StatementBindings {
  /// The values of the parameters 0, 1, 2 ….
  private(set) var values: [_StoredValue] = []
  /// Whether the SQL depends on captured values beyond their description in `PredicateShape`.
  private(set) var dependsOnValues = false
  private let dialect: SQLDialect

  init(_ dialect: SQLDialect) {
    self.dialect = dialect
  }

  /// Binds a captured value unchanged.
  mutating func bind(_ value: _StoredValue) -> SQLExpression {
    values.append(value)
    return .parameter(values.count - 1)
  }

  /// Binds a captured value unchanged, with its type if the database needs it.
  mutating func bind(_ value: _StoredValue, as kind: ScalarTerm.Kind) -> SQLExpression {
    let parameter = bind(value)
    return dialect.typesParameters ? .cast(parameter, to: kind.sqlType) : parameter
  }

  /// Binds a value that was derived from captured values.
  mutating func bind(derived value: _StoredValue) -> SQLExpression {
    dependsOnValues = true
    return bind(value)
  }

  /// Called before the compiler decides something by a captured value.
  mutating func dependOnValues() { dependsOnValues = true }

  /// Replaces a bound text with its composed form.
  /// - Returns: Whether the expression is a parameter with a text.
  mutating func composeText(of expression: SQLExpression) -> Bool {
    guard let index = expression.parameterIndex, case .text(let value) = values[index] else {
      return false
    }
    dependsOnValues = dependsOnValues || !CanonicalForms.hasOneForm(value)
    values[index] = .text(value.canonicallyComposed)
    return true
  }

  /// Removes the values after the first `count`, of a part that was given up.
  mutating func rewind(to count: Int) { values.removeSubrange(count...) }

  // MARK: Lists

  /// `value IN (…)`. The number of parameters is rounded up, so that statements can be reused; a
  /// long list is bound as one parameter.
  mutating func inList(
    _ value: SQLExpression, _ values: [_StoredValue], of type: SQLType
  ) -> SQLExpression {
    if values.count > MembershipList.parameterLimit,
      let list = MembershipList(values, of: type, in: dialect)
    {
      let rows = TableReference(
        list: ListParameter(bind(derived: .text(list.text)), of: list.element))
      let element = SQLExpression.column(table: nil, name: ListParameter.value)
      let decoded = list.decoder.map { .function($0, [element]) } ?? element
      return .inSelect(value, Select([decoded], from: rows))
    }
    let padded =
      values + Array(repeating: values[0], count: MembershipList.padding(for: values.count))
    return .inList(value, padded.map { bind(derived: $0) })
  }

  /// Throws if `inList` would need too many parameters.
  func checkLength(of values: [_StoredValue], _ type: SQLType) throws {
    guard values.count > MembershipList.longestList else { return }
    if MembershipList(values, of: type, in: dialect) == nil {
      throw NotInSQL("a list with more values than a statement can have parameters")
    }
  }

  // MARK: Numbering

  /// Renumbers the parameters of a finished query, because folded constants may have removed some
  /// of them.
  mutating func compact(_ joins: inout [Join], _ condition: inout SQLExpression) {
    var count = 0
    if joins.allSatisfy({ $0.condition.numbersParametersInOrder(from: &count) }),
      condition.numbersParametersInOrder(from: &count), count == values.count
    {
      return
    }
    var numbers: [Int: Int] = [:]
    var used: [_StoredValue] = []
    func renumbered(_ expression: SQLExpression) -> SQLExpression {
      expression.replacingParameters { index in
        if let number = numbers[index] { return number }
        numbers[index] = used.count
        used.append(values[index])
        return used.count - 1
      }
    }
    joins = joins.map { Join($0.kind, $0.table, on: renumbered($0.condition)) }
    condition = renumbered(condition)
    values = used
  }
}
