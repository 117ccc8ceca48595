import Foundation
package import OpenSwiftDataSQLSyntax

/// Compiles a predicate and sort descriptors to SQL.
///
/// 1. The predicate is split at its outermost `&&`. Each part becomes a condition. A part that SQL
///    cannot express is left to memory, and the others still narrow the rows.
/// 2. Inside a part, every expression that does not depend on a row is evaluated at once and bound
///    as a parameter.
/// 3. Each remaining node becomes a term: a value, a row, a composite or a relationship. Conditions
///    are always 0 or 1. `nil` behaves as in Swift, so nulls are tested explicitly.
/// 4. A step over a to-one relationship joins the destination's table once per query. A condition
///    on a to-many relationship becomes a subquery with its own joins.
package struct PredicateCompiler {
  let mapping: SchemaMapping
  /// The rows that the predicate selects from.
  let source: any RowSource
  /// The database for which SQL is compiled.
  let database: SQLCapabilities
  let forms: StoredForms
  var bindings: [_StoredValue] = []
  /// The joins of the outermost query, and of the subqueries around the current node.
  var scopes: [[Join]] = [[]]
  var aliasCount = 1
  var variables = VariableTerms()
  /// Whether the indexed text columns of the fetched entity contain only composed text.
  var holdsComposedText = false
  /// The indexed text columns that are compared by order.
  var orderedText: Set<String> = []
  /// The nesting depth of the current node.
  var depth = 0
  /// The parts of the predicate that SQL cannot express; `nil` if one of them is not a condition.
  var remainder: [any StandardPredicateExpression<Bool>]? = []
  /// Whether a captured predicate was inlined; its parts have other variables.
  var hasInlined = false
  /// The values of variables that refer to captured values.
  var capturedVariables = PredicateBindings()
  /// Whether the SQL depends on captured values beyond their description in `PredicateShape`.
  var dependsOnValues = false
  /// Conditions under which no step of the current closure fails.
  var demands: [SQLExpression] = []

  init(
    mapping: SchemaMapping, source: any RowSource, database: SQLCapabilities,
    storeIdentifier: String?
  ) {
    self.mapping = mapping
    self.source = source
    self.database = database
    forms = StoredForms(mapping: mapping, storeIdentifier: storeIdentifier)
  }

  /// Compiles the predicate and the order of a fetch.
  /// - Parameters:
  ///   - predicate: The predicate; `nil` selects all models.
  ///   - sortBy: The order.
  ///   - entity: The entity of the models, including subentities.
  ///   - mapping: The schema's mapping.
  ///   - database: The dialect and the features of the database.
  ///   - storeIdentifier: The store whose identifiers can match.
  ///   - trees: The R-trees of spatial indexes in the store.
  ///   - holdsComposedText: Whether the columns in `orderedText` of an earlier result are known to
  ///     contain only composed text.
  package static func compile<T: PersistentModel>(
    _ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>] = [], entity: EntityMapping,
    mapping: SchemaMapping, database: SQLCapabilities = .sqlite, storeIdentifier: String? = nil,
    trees: Set<String> = [], holdsComposedText: Bool = false
  ) -> CompiledFetch {
    compile(
      predicate, sortBy: sortBy, source: entity, mapping: mapping, database: database,
      storeIdentifier: storeIdentifier, trees: trees, holdsComposedText: holdsComposedText)
  }

  /// Compiles a predicate over rows that are not models.
  /// - Parameters:
  ///   - predicate: The predicate; `nil` selects all values.
  ///   - sortBy: The order.
  ///   - records: The mapping of the values.
  ///   - mapping: The mapping of the models that identifiers in the values refer to.
  ///   - database: The dialect and the features of the database.
  ///   - storeIdentifier: The store whose identifiers can match.
  package static func compile<T>(
    _ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>] = [], records: RecordMapping,
    mapping: SchemaMapping, database: SQLCapabilities = .sqlite, storeIdentifier: String? = nil
  ) -> CompiledFetch {
    compile(
      predicate, sortBy: sortBy, source: records, mapping: mapping, database: database,
      storeIdentifier: storeIdentifier, trees: [], holdsComposedText: false)
  }

  private static func compile<T>(
    _ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>], source: some RowSource,
    mapping: SchemaMapping, database: SQLCapabilities, storeIdentifier: String?,
    trees: Set<String>, holdsComposedText: Bool
  ) -> CompiledFetch {
    var compiler = PredicateCompiler(
      mapping: mapping, source: source, database: database, storeIdentifier: storeIdentifier)
    compiler.holdsComposedText = holdsComposedText
    let root = CompiledFetch.Shape.rootAlias
    let restriction = source.restriction(alias: root)
    var conditions: [SQLExpression] = []
    var unsupported: [String] = []
    if let predicate {
      compiler.variables = VariableTerms(predicate.variable.key, source.term(alias: root))
      unsupported = compiler.compileParts(of: predicate.expression, into: &conditions)
    }
    let order = sortBy.isEmpty ? [] : compiler.order(by: sortBy)
    let indexes = source.spatialIndexes.filter { trees.contains($0.name) }
    if !indexes.isEmpty, let box = SpatialSearch(conditions).condition(indexes) {
      conditions.append(box)
    }
    let plan = QueryPlan(mapping: mapping, from: source.table, joins: compiler.scopes[0])
    let orderedText =
      compiler.orderedText.isEmpty || plan.narrows(conditions) ? [] : compiler.orderedText
    let condition = compiler.compacted(
      source.findsOwnersInOneQuery
        ? plan.condition(conditions, restriction: restriction) : .all(conditions))
    return CompiledFetch(
      shape: CompiledFetch.Shape(
        sourceName: source.name, from: TableReference(source.table, as: root),
        joins: compiler.scopes[0],
        condition: condition.isTrue ? nil : condition, order: order ?? []),
      bindings: compiler.bindings, unsupported: unsupported, remainder: compiler.remainder,
      sortsInMemory: order == nil, orderedText: orderedText,
      dependsOnShapeOnly: !compiler.dependsOnValues)
  }

  /// Adds a condition for each part between the outermost `&&` that SQL can express.
  /// - Returns: The reasons why other parts cannot be expressed.
  private mutating func compileParts(
    of expression: any PredicateExpression, into conditions: inout [SQLExpression]
  ) -> [String] {
    var reasons: [String] = []
    do {
      try visitParts(of: expression, where: \.isConjunction) { compiler, part in
        if let reason = compiler.compile(part, into: &conditions) { reasons.append(reason) }
      }
    } catch {
      remainder = nil
      reasons.append(Self.reason(error, in: expression))
    }
    return reasons
  }

  /// - Returns: The reason why SQL cannot express the part; `nil` if it can.
  mutating func compile(
    _ part: any PredicateExpression, into conditions: inout [SQLExpression]
  ) -> String? {
    let before = (bindings.count, scopes, aliasCount)
    do {
      let condition = try conditionOrFailure(part).asFilter
      // Limit and offset need two parameters.
      guard bindings.count <= database.parameterLimit - 2 else {
        throw NotInSQL("more captured values than a statement may have parameters")
      }
      var counterparts = FunctionCounterparts(database)
      conditions.append(try counterparts.applied(to: condition))
      guard let widening = counterparts.widening else { return nil }
      leaveToMemory(part)
      return Self.reason(NotInSQL(widening), in: part)
    } catch {
      bindings.removeSubrange(before.0...)
      (scopes, aliasCount) = (before.1, before.2)
      leaveToMemory(part)
      return Self.reason(error, in: part)
    }
  }

  private mutating func leaveToMemory(_ part: any PredicateExpression) {
    let rest = hasInlined ? nil : part as? any StandardPredicateExpression<Bool>
    remainder = rest.flatMap { rest in remainder.map { $0 + [rest] } }
  }

  /// The maximum nesting depth. SQLite's own limit is 1000, and each node may need several levels.
  /// A chain of `&&` or `||` counts once, whatever its length.
  private static var depthLimit: Int { 100 }

  private static func reason(
    _ error: any Error, in expression: any PredicateExpression
  ) -> String {
    let error = error as? NotInSQL
    let part = error?.part ?? PredicateSource.text(of: expression)
    return "\(part): \(error?.reason ?? "a captured value cannot be evaluated")"
  }

  /// Renumbers the parameters, because folded constants may have removed some of them.
  mutating func compacted(_ condition: SQLExpression) -> SQLExpression {
    var count = 0
    if scopes[0].allSatisfy({ $0.condition.numbersParametersInOrder(from: &count) }),
      condition.numbersParametersInOrder(from: &count), count == bindings.count
    {
      return condition
    }
    var numbers: [Int: Int] = [:]
    var used: [_StoredValue] = []
    let bindings = bindings
    func renumbered(_ expression: SQLExpression) -> SQLExpression {
      expression.replacingParameters { index in
        if let number = numbers[index] { return number }
        numbers[index] = used.count
        used.append(bindings[index])
        return used.count - 1
      }
    }
    scopes[0] = scopes[0].map { Join($0.kind, $0.table, on: renumbered($0.condition)) }
    let result = renumbered(condition)
    self.bindings = used
    return result
  }

  /// The term of an expression; captured values are evaluated.
  mutating func term(_ expression: any PredicateExpression) throws -> SQLTerm {
    guard let node = expression as? any PredicateNode else {
      throw NotInSQL("\(type(of: expression)) has no counterpart")
    }
    if !node.findsCaptures, isCaptured(node: node) { return .captured(try evaluate(node)) }
    guard depth < Self.depthLimit else { throw NotInSQL("expressions nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    do {
      return try node.term(in: &self)
    } catch var error as NotInSQL {
      error.part = error.part ?? PredicateSource.text(of: node)
      throw error
    }
  }

  /// The expression as a condition that is 0 or 1.
  mutating func condition(_ expression: any PredicateExpression) throws -> SQLExpression {
    try orFailure { try $0.condition($0.term(expression)) } ?? .false
  }

  func condition(_ term: SQLTerm) throws -> SQLExpression {
    switch term {
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
    default: throw NotInSQL("\(term.label) is no condition")
    }
  }
}

extension EntityMapping {
  /// The condition that a row of the table belongs to the entity or a subentity.
  package func restriction(alias: String?) -> SQLExpression? {
    guard isPartOfTable else { return nil }
    return isKind(alias: alias)
  }

  func isKind(alias: String?) -> SQLExpression {
    let column = RowColumns.entity(of: alias)
    let numbers = subtreeNumbers.map { SQLExpression.integer(Int64($0)) }
    return numbers.count == 1
      ? .binary(column, .equal, numbers[0]) : .inList(column, numbers)
  }
}
