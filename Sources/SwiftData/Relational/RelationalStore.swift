import OpenSwiftDataSQLSyntax
import Synchronization

/// The models of one store as rows of a SQL database: answers fetches, writes saves, deletes by rules.
///
/// It knows a `SQLDriver` and no database. Thread safe: contexts of any thread share it; the driver lends
/// sessions, everything else is immutable or guards itself.
package final class RelationalStore: StorePort {
  /// The name of the store, for errors.
  package let name: String
  /// The store's UUID, part of every identifier of its models.
  package let identifier: String
  let schema: Schema
  /// Whether saves and deletions are allowed.
  let isWritable: Bool
  let mapping: SchemaMapping
  let driver: any SQLDriver
  package let plans: StorePlans
  /// The trees of spatial indexes that may be searched.
  let trees: Set<String>
  let composedText = ComposedText()
  /// Called for fetches that leave work to memory, with the reasons.
  let note: (@Sendable (_ entity: String, _ reasons: [String]) -> Void)?
  /// The tables of the history; `nil` for a store that has none.
  let history: HistoryTables?
  /// The names of entities that only the history has, by number.
  let removedEntities: [Int: String]
  /// How predicates find the transactions of the history.
  let historyRecords: RecordMapping
  /// Whether changes are written to the history; without it only a sign that there were some.
  private let keepsHistory: Bool
  /// Forgets old history after changes; `nil` where all of it is kept.
  let pruner: HistoryPruner?
  /// What those who follow the history have not read yet.
  package let holds = HistoryHolds()
  let ownTransactions = OwnTransactions()
  /// The context whose transaction encloses its saves. Written by the thread that has the writer.
  let transactionOwner = Mutex<EditingState.ID?>(nil)

  package init(
    name: String, identifier: String, schema: Schema, mapping: SchemaMapping,
    driver: any SQLDriver, isWritable: Bool = true, trees: Set<String> = [],
    history: HistoryTables? = nil, removedEntities: [Int: String] = [:],
    keepsHistory: Bool = true, retention: HistoryRetention? = nil,
    note: (@Sendable (_ entity: String, _ reasons: [String]) -> Void)? = nil
  ) {
    self.name = name
    self.identifier = identifier
    self.schema = schema
    self.isWritable = isWritable
    self.mapping = mapping
    self.driver = driver
    self.trees = trees
    self.note = note
    self.history = history
    self.removedEntities = removedEntities
    historyRecords =
      HistoryRecords(
        mapping: mapping, storeIdentifier: identifier, removedEntities: removedEntities
      ).transactions
    self.keepsHistory = keepsHistory
    pruner = history == nil ? nil : retention.map(HistoryPruner.init)
    plans = StorePlans(
      mapping: mapping, schema: schema, database: driver.capabilities,
      storeIdentifier: identifier, history: history)
  }

  /// Whether saves and deletions are kept in the history.
  package var writesHistory: Bool { history != nil && keepsHistory }

  /// How captured values are bound.
  var forms: StoredForms { StoredForms(mapping: mapping, storeIdentifier: identifier) }

  func reading(_ selection: EntitySelection, limit: Int? = nil) -> RowReading {
    RowReading(selection: selection, limit: limit, outside: driver.externalValues)
  }

  /// The mapping of an entity.
  /// - Throws: `SwiftDataError.unknownSchema` where the store does not keep it.
  func entity(_ descriptor: _ModelDescriptor) throws -> EntityMapping {
    if let entity = mapping.entity(named: descriptor.entityName) { return entity }
    throw SwiftDataError.notKept(entity: descriptor.entityName, by: name)
  }

  /// A transaction that values outside of the rows follow.
  func transaction<R>(_ session: any SQLSession, _ body: () throws -> R) throws -> R {
    try driver.externalValues?.transaction(session, body) ?? session.transaction(body)
  }

  /// Nothing is kept for contexts.
  package func begin(_ editingState: EditingState) {}

  /// Nothing is kept for contexts.
  package func end(_ editingState: EditingState) {}

  /// Deletes all rows.
  package func erase() throws {
    try driver.write(else: "nothing was deleted") { session in
      try transaction(session) {
        var changes = RowChanges(self, session, by: EditingState())
        for root in mapping.entities where root.superName == nil {
          try changes.noteDeletion(of: root, where: nil, [])
        }
        try changes.finish()
        for table in mapping.tables {
          let delete = Delete(from: table.table.name, where: nil)
          try session.statement(delete.rendered(in: driver.dialect).sql).run(.none)
        }
      }
    }
    pruneHistory()
  }
}
