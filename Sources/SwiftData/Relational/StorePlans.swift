import OpenSwiftDataSQLSyntax
import Synchronization

/// Caches what is built once per store and shape: selections, save statements and the text of
/// queries.
package final class StorePlans: Sendable {
  let mapping: SchemaMapping
  /// The dialect and the features of the database.
  let database: SQLCapabilities
  var dialect: SQLDialect { database.dialect }
  /// By entity number; without a name for unused numbers.
  let scopes: [IdentifierScope]
  /// Whether new models of one save can refer to each other.
  let hasRelationships: Bool
  /// Whether values of any entity may be stored outside their rows.
  let hasExternalValues: Bool
  /// The to-many relationships whose members are counted.
  let counted: CountedLists
  /// Compiled requests, by shape.
  let fetches = FetchPlans()
  /// The statements for the last assigned keys.
  let keys: KeyStatements
  /// The statements for the transactions of the history.
  let history: HistoryStatements
  /// The statements that read the history.
  let historyRows: HistoryRowStatements
  /// The tables of the history; `nil` if the store has none.
  private let historyTables: HistoryTables?
  private let constraints: [String: [[String]]]
  private let state: Mutex<State>

  private struct State {
    /// For whole rows, by entity number.
    var selections: [EntitySelection?]
    var partialSelections: [SelectionKey: EntitySelection] = [:]
    var saves: [String: EntitySave] = [:]
    var queries: [QueryShape: String] = [:]
    var renderedCount = 0
    var members: [MembersKey: MembersQuery] = [:]
    /// By entity number.
    var deletions: [Int: DeletionSteps] = [:]
    /// By entity number.
    var changes: [Int: EntityChanges] = [:]
    /// By the number of the root entity.
    var tableChanges: [Int: TableChanges] = [:]
    /// By entity number; 0 stands for entities that are not in the schema.
    var historyChanges: [Int: HistoryChangeMaker] = [:]
  }

  init(
    mapping: SchemaMapping, schema: Schema, database: SQLCapabilities, storeIdentifier: String,
    history: HistoryTables? = nil
  ) {
    self.mapping = mapping
    self.database = database
    keys = KeyStatements(in: database.dialect)
    counted = CountedLists(mapping, schema, database.dialect)
    self.history = HistoryStatements(history, in: database.dialect)
    historyRows = HistoryRowStatements(history, in: database.dialect)
    historyTables = history
    let names = mapping.namesByNumber
    state = Mutex(State(selections: Array(repeating: nil, count: names.count)))
    scopes = names.map {
      IdentifierScope(storeIdentifier: storeIdentifier, entityName: $0, kind: .row)
    }
    var constraints: [String: [[String]]] = [:]
    for entity in mapping.entities {
      constraints[entity.name] = schema.uniquenessConstraints(of: entity.name)
    }
    self.constraints = constraints
    hasExternalValues = mapping.entities.contains { !$0.descriptor.externalSlots.isEmpty }
    hasRelationships = mapping.entities.contains { !$0.descriptor.relationshipSlots.isEmpty }
  }

  func selection(of entity: EntityMapping) -> EntitySelection {
    state.withLock { state in
      if let known = state.selections[entity.number] { return known }
      let made = EntitySelection(RowSelection(entity, in: mapping), entity: entity, plans: self)
      state.selections[entity.number] = made
      return made
    }
  }

  private struct SelectionKey: Hashable {
    let entity: Int
    let slots: Set<Int>
  }

  /// - Parameter slots: The properties to read; `nil` for whole rows.
  func selection(of entity: EntityMapping, slots: Set<Int>?) -> EntitySelection {
    guard let slots else { return selection(of: entity) }
    let key = SelectionKey(entity: entity.number, slots: slots)
    return state.withLock { state in
      if let known = state.partialSelections[key] { return known }
      let made = EntitySelection(
        RowSelection(entity, in: mapping, slots: slots), entity: entity, plans: self)
      if state.partialSelections.count > 512 { state.partialSelections.removeAll() }
      state.partialSelections[key] = made
      return made
    }
  }

  func save(of entity: EntityMapping) -> EntitySave {
    let changes = changes(of: entity)
    return state.withLock { state in
      if let known = state.saves[entity.name] { return known }
      let made = EntitySave(
        entity, constraints: constraints[entity.name] ?? [], mapping: mapping, changes,
        dialect: dialect)
      state.saves[entity.name] = made
      return made
    }
  }

  /// The statements for deletions of an entity's rows.
  func deletion(of entity: EntityMapping, _ schema: Schema) -> DeletionSteps {
    if let known = state.withLock({ $0.deletions[entity.number] }) { return known }
    let made = DeletionSteps(of: entity, in: mapping, schema, dialect: dialect)
    state.withLock { $0.deletions[entity.number] = made }
    return made
  }

  /// The related rows that change with an entity's rows.
  func changes(of entity: EntityMapping) -> EntityChanges {
    state.withLock { state in
      if let known = state.changes[entity.number] { return known }
      let made = EntityChanges(of: entity, in: mapping, dialect: dialect)
      state.changes[entity.number] = made
      return made
    }
  }

  /// The statements for versions and history of a table's rows.
  func tableChanges(of root: EntityMapping) -> TableChanges {
    state.withLock { state in
      if let known = state.tableChanges[root.number] { return known }
      let made = TableChanges(of: root, historyTables, in: mapping, dialect)
      state.tableChanges[root.number] = made
      return made
    }
  }

  /// Makes the public changes of an entity's rows.
  func historyChanges(ofEntity number: Int) -> HistoryChangeMaker {
    let entity = mapping.entity(number: number)
    let key = entity?.number ?? 0
    if let known = state.withLock({ $0.historyChanges[key] }) { return known }
    let made = HistoryChangeMaker(entity)
    state.withLock { $0.historyChanges[key] = made }
    return made
  }

  private struct MembersKey: Hashable {
    let entity: Int
    let slot: Int
  }

  func members(
    of entity: EntityMapping, slot: Int, _ make: () -> MembersQuery
  ) -> MembersQuery {
    let key = MembersKey(entity: entity.number, slot: slot)
    if let known = state.withLock({ $0.members[key] }) { return known }
    let made = make()
    state.withLock { $0.members[key] = made }
    return made
  }

  /// The number of compilations, because a shape was new or the SQL depends on captured values.
  package var compiledCount: Int { fetches.compiledCount }

  /// The number of query texts that were rendered, because their shape was new.
  package var renderedCount: Int { state.withLock { $0.renderedCount } }

  /// The text of a query, rendered once per shape.
  func text(of shape: QueryShape, _ render: () -> String) -> String {
    if let known = state.withLock({ $0.queries[shape] }) { return known }
    let text = render()
    state.withLock { state in
      state.renderedCount += 1
      if state.queries.count > 512 { state.queries.removeAll() }
      state.queries[shape] = text
    }
    return text
  }

  func scope(number: Int) -> IdentifierScope { scopes[number] }
}
