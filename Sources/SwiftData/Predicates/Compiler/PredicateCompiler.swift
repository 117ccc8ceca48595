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
///
/// The state of the walk is divided into types, each with its invariants. A node receives the
/// compiler, which compiles the operands. Code that computes with terms receives only the part of the
/// state that it needs.
package struct PredicateCompiler {
  let mapping: SchemaMapping
  /// The rows that the predicate selects from.
  let source: any RowSource
  /// The database for which SQL is compiled.
  let database: SQLCapabilities
  let forms: StoredForms

  var bindings: StatementBindings
  var scopes = QueryScopes()
  var variables = VariableScopes()
  var texts: TextRules
  var demands = StepDemands()
  private(set) var unsupported = UnsupportedParts()
  /// The nesting depth of the current node.
  private var depth = 0

  init(
    mapping: SchemaMapping, source: any RowSource, database: SQLCapabilities,
    storeIdentifier: String?, holdsComposedText: Bool = false
  ) {
    self.mapping = mapping
    self.source = source
    self.database = database
    forms = StoredForms(
      mapping: mapping, storeIdentifier: storeIdentifier, dialect: database.dialect)
    bindings = StatementBindings(database.dialect)
    texts = TextRules(source, mapping, holdsComposedText: holdsComposedText)
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
      mapping: mapping, source: source, database: database, storeIdentifier: storeIdentifier,
      holdsComposedText: holdsComposedText)
    let root = CompiledFetch.Shape.rootAlias
    let restriction = source.restriction(alias: root)
    var conditions: [SQLExpression] = []
    if let predicate {
      compiler.variables = VariableScopes(predicate.variable.key, source.term(alias: root))
      compiler.compileParts(of: predicate.expression, into: &conditions)
    }
    let order = sortBy.isEmpty ? [] : compiler.order(by: sortBy)
    let indexes = source.spatialIndexes.filter { trees.contains($0.name) }
    if !indexes.isEmpty,
      let box = SpatialSearch(conditions).condition(indexes, in: database.dialect)
    {
      conditions.append(box)
    }
    var joins = compiler.scopes.outermost
    let plan = QueryPlan(mapping: mapping, from: source.table, joins: joins)
    let orderedText = compiler.texts.orderedColumns
    var condition =
      source.findsOwnersInOneQuery
      ? plan.condition(conditions, restriction: restriction) : .all(conditions)
    compiler.bindings.compact(&joins, &condition)
    let shape = CompiledFetch.Shape(
      sourceName: source.name, from: TableReference(source.table, as: root), joins: joins,
      condition: condition.isTrue ? nil : condition, order: order ?? [])
    return CompiledFetch(
      shape: shape,
      bindings: compiler.bindings.values, unsupported: compiler.unsupported.reasons,
      remainder: compiler.unsupported.remainder, sortsInMemory: order == nil,
      orderedText: orderedText.isEmpty || plan.narrows(conditions) ? [] : orderedText,
      dependsOnShapeOnly: !compiler.bindings.dependsOnValues,
      reach: plan.reach(shape.condition, order: shape.order, of: source))
  }

  // MARK: Parts

  /// Adds a condition for each part between the outermost `&&` that SQL can express; leaves the
  /// other parts to memory.
  private mutating func compileParts(
    of expression: any PredicateExpression, into conditions: inout [SQLExpression]
  ) {
    do {
      try visitParts(of: expression, where: \.isConjunction) { compiler, part in
        compiler.compile(part, into: &conditions)
      }
    } catch {
      unsupported.addWhole(expression, because: error)
    }
  }

  /// Adds the condition of a part, or leaves the part to memory.
  mutating func compile(
    _ part: any PredicateExpression, into conditions: inout [SQLExpression]
  ) {
    let before = checkpoint
    do {
      let condition = try conditionOrFailure(part).asFilter
      // Limit and offset need two parameters.
      guard bindings.values.count <= database.parameterLimit - 2 else {
        throw NotInSQL("more captured values than a statement can have parameters")
      }
      var counterparts = FunctionCounterparts(database)
      let replaced = try counterparts.applied(to: condition)
      // The first element of a filtered list is joined.
      try scopes.mapConditions { try counterparts.applied(toValue: $0) }
      conditions.append(replaced)
      if let widening = counterparts.widening { leaveToMemory(part, because: NotInSQL(widening)) }
    } catch {
      rewind(to: before)
      leaveToMemory(part, because: error)
    }
  }

  private mutating func leaveToMemory(_ part: any PredicateExpression, because error: any Error) {
    unsupported.add(part, standsAlone: !variables.hasInlined, because: error)
  }

  /// Calls `body` with the operands of a chain of equal operators, from first to last. A chain may
  /// have thousands of operands, and each may contain another predicate, so this does not recurse.
  mutating func visitParts(
    of expression: any PredicateExpression, where isJoint: (any PredicateNode) -> Bool,
    _ body: (inout PredicateCompiler, any PredicateExpression) throws -> Void
  ) throws {
    var waiting: [any PredicateExpression] = []
    var current: (any PredicateExpression)? = expression
    while let next = current {
      let node = next as? any PredicateNode
      if let node, isJoint(node) {
        waiting += node.operands.reversed()
        current = waiting.popLast()
      } else if let inner = try node.flatMap({ try opened($0) }) {
        current = inner
      } else {
        try body(&self, next)
        current = waiting.popLast()
      }
    }
  }

  /// The expression of a captured predicate; nil if it can't be computed, which its term will
  /// report.
  private mutating func opened(
    _ node: any PredicateNode
  ) throws -> (any PredicateExpression)? {
    do {
      return try node.opened(in: &self)
    } catch {
      guard isFailedStep(error) else { throw error }
      return nil
    }
  }

  // MARK: Checkpoints

  /// What a part that is given up leaves in the statement.
  struct Checkpoint {
    fileprivate let bindingCount: Int
    fileprivate let scopes: QueryScopes
  }

  var checkpoint: Checkpoint {
    Checkpoint(bindingCount: bindings.values.count, scopes: scopes)
  }

  mutating func rewind(to checkpoint: Checkpoint) {
    bindings.rewind(to: checkpoint.bindingCount)
    scopes = checkpoint.scopes
  }

  // MARK: Nodes

  /// The maximum nesting depth. SQLite's own limit is 1000, and each node may need several levels.
  /// A chain of `&&` or `||` counts once, whatever its length.
  private static var depthLimit: Int { 100 }

  /// The term of an expression; captured values are evaluated.
  mutating func term(_ expression: any PredicateExpression) throws -> SQLTerm {
    guard let node = expression as? any PredicateNode else {
      throw NotInSQL("\(type(of: expression)) has no SQL counterpart")
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
    try orFailure { try $0.term(expression).condition } ?? .false
  }

  /// A text term; captured texts are bound.
  mutating func text(_ expression: any PredicateExpression) throws -> ScalarTerm {
    let term = try term(expression)
    guard let scalar = try optionalScalar(term), scalar.kind == .scalar(.string) else {
      throw NotInSQL("\(term.label) is not text")
    }
    return scalar
  }

  /// Assigns a term to a variable while `body` runs.
  mutating func binding<Value, Result>(
    _ variable: PredicateExpressions.Variable<Value>, to term: SQLTerm,
    _ body: (inout PredicateCompiler) throws -> Result
  ) throws -> Result {
    let outer = try variables.bind(variable, to: term)
    defer { variables.restore(variable.key, to: outer) }
    return try body(&self)
  }
}
