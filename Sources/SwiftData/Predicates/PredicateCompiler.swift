import Foundation
package import OpenSwiftDataSQLSyntax

/// Turns a predicate and sort descriptors into SQL.
///
/// 1. The predicate is cut at its outermost `&&`. Each part becomes a condition of its own; what a
///    part cannot say in SQL leaves it to memory, and the others still narrow the rows.
/// 2. Inside a part, whatever depends on no row is evaluated at once and bound as a parameter.
/// 3. Each remaining node becomes a term: a value, a row, a composite or a relationship. Conditions
///    are always 0 or 1: `nil` follows Swift, so nulls are asked for and never seep through.
/// 4. A step over a to-one relationship joins the destination's table once per query; a question
///    about a to-many relationship becomes a subquery with joins of its own.
package struct PredicateCompiler {
  let mapping: SchemaMapping
  /// The rows that the predicate is about.
  let source: any RowSource
  /// The database whose SQL is made.
  let database: SQLCapabilities
  let forms: StoredForms
  var bindings: [_StoredValue] = []
  /// The joins of the outermost query and of the subqueries around the current node.
  var scopes: [[Join]] = [[]]
  var aliasCount = 1
  var variables = VariableTerms()
  /// Whether the indexed columns of the fetched entity hold no text but in its composed form.
  var holdsComposedText = false
  /// The indexed columns whose text is put in order.
  var orderedText: Set<String> = []
  /// How many nodes are around the current one.
  var depth = 0
  /// The parts of the predicate that SQL cannot express; `nil` when one of them is no condition.
  var remainder: [any StandardPredicateExpression<Bool>]? = []
  /// Whether a captured predicate was opened, whose parts know other variables.
  var hasOpened = false
  /// The values of variables that stand for captured values.
  var capturedVariables = PredicateBindings()
  /// Whether the SQL depends on captured values beyond what `PredicateShape` tells of them.
  var dependsOnValues = false
  /// What must hold so that no step of the closure that is being compiled fails.
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

  /// Compiles what a fetch asks for.
  /// - Parameters:
  ///   - predicate: Which models; `nil` for all.
  ///   - sortBy: In which order.
  ///   - entity: The entity of the models, subentities included.
  ///   - mapping: The schema's mapping.
  ///   - database: The dialect, and what the database can do.
  ///   - storeIdentifier: The store whose identifiers count.
  ///   - trees: The trees of spatial indexes that the store has.
  ///   - holdsComposedText: Whether it is known of the columns that the same call without it gave as
  ///     `orderedText`.
  package static func compile<T: PersistentModel>(
    _ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>] = [], entity: EntityMapping,
    mapping: SchemaMapping, database: SQLCapabilities = .sqlite, storeIdentifier: String? = nil,
    trees: Set<String> = [], holdsComposedText: Bool = false
  ) -> CompiledFetch {
    compile(
      predicate, sortBy: sortBy, source: entity, mapping: mapping, database: database,
      storeIdentifier: storeIdentifier, trees: trees, holdsComposedText: holdsComposedText)
  }

  /// Compiles a question about rows that are no models.
  /// - Parameters:
  ///   - predicate: Which values; `nil` for all.
  ///   - sortBy: In which order.
  ///   - records: Where the values are stored.
  ///   - mapping: The mapping of the models whose identifiers the values may have.
  ///   - database: The dialect, and what the database can do.
  ///   - storeIdentifier: The store whose identifiers count.
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
      source.findsOwnersAtOnce
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
  /// - Returns: The reasons of the parts that it cannot.
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

  /// - Returns: The reason why SQL cannot express the part; `nil` when it can.
  mutating func compile(
    _ part: any PredicateExpression, into conditions: inout [SQLExpression]
  ) -> String? {
    let before = (bindings.count, scopes, aliasCount)
    do {
      let condition = try conditionOrFailure(part).asFilter
      // Limit and offset want two.
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
    let rest = hasOpened ? nil : part as? any StandardPredicateExpression<Bool>
    remainder = rest.flatMap { rest in remainder.map { $0 + [rest] } }
  }

  /// How deep nodes may be nested; SQLite's own limit is 1000 and each node may need several levels.
  /// Chains of `&&` and `||` count once, however long.
  private static var depthLimit: Int { 100 }

  private static func reason(
    _ error: any Error, in expression: any PredicateExpression
  ) -> String {
    let error = error as? NotInSQL
    let part = error?.part ?? PredicateSource.text(of: expression)
    return "\(part): \(error?.reason ?? "a captured value cannot be evaluated")"
  }

  /// Numbers the parameters anew: constants may have made some of them superfluous.
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
      // A bare column is no condition that an index serves.
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
  /// The condition that a row of the table is one of the entity or of those below it.
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
