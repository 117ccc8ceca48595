import OpenSwiftDataSQLSyntax

/// What is built once for a store, an entity or a shape: selections, save statements and the text of
/// queries. Each is kept in a `BoundedMemo`.
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
  // The values of an entity or a relationship have a bound that the schema does not reach.
  private let selections: BoundedMemo<Int, EntitySelection>
  private let partialSelections = BoundedMemo<SelectionKey, EntitySelection>()
  private let saves: BoundedMemo<Int, EntitySave>
  private let deletions: BoundedMemo<Int, DeletionSteps>
  private let changes: BoundedMemo<Int, EntityChanges>
  private let tableChanges: BoundedMemo<Int, TableChanges>
  private let historyChanges: BoundedMemo<Int, HistoryChangeMaker>
  private let members: BoundedMemo<MembersKey, MembersQuery>
  private let texts = BoundedMemo<QueryShape, String>()

  private struct SelectionKey: Hashable {
    let entity: Int
    let slots: Set<Int>
  }

  private struct MembersKey: Hashable {
    let entity: Int
    let slot: Int
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
    // Number 0 stands for entities that are not in the schema.
    let count = mapping.entities.count + 1
    selections = BoundedMemo(bound: count)
    saves = BoundedMemo(bound: count)
    deletions = BoundedMemo(bound: count)
    changes = BoundedMemo(bound: count)
    tableChanges = BoundedMemo(bound: count)
    historyChanges = BoundedMemo(bound: count)
    members = BoundedMemo(
      bound: mapping.entities.map(\.descriptor.relationshipSlots.count).reduce(1, +))
    scopes = mapping.namesByNumber.enumerated().map { number, name in
      IdentifierScope(
        storeIdentifier: storeIdentifier, entityName: name, kind: .row, entityNumber: number)
    }
    var constraints: [String: [[String]]] = [:]
    for entity in mapping.entities {
      constraints[entity.name] = schema.uniquenessConstraints(of: entity.name)
    }
    self.constraints = constraints
    hasExternalValues = mapping.entities.contains { !$0.descriptor.externalSlots.isEmpty }
    hasRelationships = mapping.entities.contains { !$0.descriptor.relationshipSlots.isEmpty }
  }

  /// The selection of an entity's whole rows.
  func selection(of entity: EntityMapping) -> EntitySelection {
    selections.value(for: entity.number) {
      EntitySelection(RowSelection(entity, in: mapping), entity: entity, plans: self)
    }
  }

  /// - Parameter slots: The properties to read; `nil` for whole rows.
  func selection(of entity: EntityMapping, slots: Set<Int>?) -> EntitySelection {
    guard let slots else { return selection(of: entity) }
    return partialSelections.value(for: SelectionKey(entity: entity.number, slots: slots)) {
      EntitySelection(
        RowSelection(entity, in: mapping, slots: slots), entity: entity, plans: self)
    }
  }

  /// The statements that write an entity's rows.
  func save(of entity: EntityMapping) -> EntitySave {
    saves.value(for: entity.number) {
      EntitySave(
        entity, constraints: constraints[entity.name] ?? [], mapping: mapping,
        changes(of: entity), dialect: dialect)
    }
  }

  /// The statements for deletions of an entity's rows.
  func deletion(of entity: EntityMapping, _ schema: Schema) -> DeletionSteps {
    deletions.value(for: entity.number) {
      DeletionSteps(of: entity, in: mapping, schema, dialect: dialect)
    }
  }

  /// The related rows that change with an entity's rows.
  func changes(of entity: EntityMapping) -> EntityChanges {
    changes.value(for: entity.number) {
      EntityChanges(of: entity, in: mapping, dialect: dialect)
    }
  }

  /// The statements for versions and history of a table's rows.
  func tableChanges(of root: EntityMapping) -> TableChanges {
    tableChanges.value(for: root.number) {
      TableChanges(of: root, historyTables, in: mapping, dialect)
    }
  }

  /// Makes the public changes of an entity's rows.
  func historyChanges(ofEntity number: Int) -> HistoryChangeMaker {
    let entity = mapping.entity(number: number)
    return historyChanges.value(for: entity?.number ?? 0) { HistoryChangeMaker(entity) }
  }

  /// Whether a row of the history may stand for changes of several rows.
  var historyHasRanges: Bool { historyTables?.hasRanges ?? false }

  /// The query for the members of a relationship.
  func members(
    of entity: EntityMapping, slot: Int, _ make: () -> MembersQuery
  ) -> MembersQuery {
    members.value(for: MembersKey(entity: entity.number, slot: slot), make: make)
  }

  /// The text of a query, rendered once per shape.
  func text(of shape: QueryShape, _ render: () -> String) -> String {
    texts.value(for: shape, make: render)
  }

  /// The number of compilations, because a shape was new or the SQL depends on captured values.
  package var compiledCount: Int { fetches.compiledCount }

  /// The number of query texts that were rendered, because their shape was new.
  package var renderedCount: Int { texts.madeCount }

  func scope(number: Int) -> IdentifierScope { scopes[number] }

  /// Whether the scope is one of this store's own, which most identifiers have. Then it has the
  /// number of the entity, and no names need to be compared.
  func owns(_ scope: IdentifierScope) -> Bool {
    scopes.indices.contains(scope.entityNumber) && scopes[scope.entityNumber] === scope
  }
}
