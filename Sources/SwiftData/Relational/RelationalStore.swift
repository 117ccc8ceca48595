import Foundation
import OpenSwiftDataSQLSyntax
import Synchronization

/// Stores models as rows of a SQL database: runs fetches and saves, and applies delete rules.
///
/// It uses a `SQLDriver` and no specific database. Thread-safe: contexts on any thread share it.
/// The driver lends sessions; everything else is immutable or synchronised.
package final class RelationalStore: StorePort {
  /// The name of the store, for error messages.
  package let name: String
  /// The store's UUID, which is part of every identifier of its models.
  package let identifier: String
  let schema: Schema
  /// Whether saves and deletions are allowed.
  let isWritable: Bool
  /// Why the store, which is empty, gets no rows; `nil` for any other store.
  let refusal: SwiftDataError?
  let mapping: SchemaMapping
  let driver: any SQLDriver
  package let plans: StorePlans
  /// The R-trees of spatial indexes that may be searched.
  let trees: Set<String>
  let composedText = ComposedText()
  /// The time that the history records; `nil` for that of the system.
  private let clock: (@Sendable () -> Date)?
  /// Receives what the engine does itself: work in memory, and repeated saves.
  package let log: StatementLog?
  /// The tables of the history; `nil` if the store has none.
  let history: HistoryTables?
  /// The names of entities that occur only in the history, by number.
  let removedEntities: [Int: String]
  /// Maps history transactions to rows, for predicates.
  let historyRecords: RecordMapping
  /// Whether changes are written to the history; if not, a transaction without changes marks the
  /// gap.
  private let keepsHistory: Bool
  /// Deletes old history after changes; `nil` if all of it is kept.
  let pruner: HistoryPruner?
  /// The positions of readers that follow the history.
  package let holds = HistoryReaders()
  let ownTransactions = OwnTransactions()
  let takenValues = TakenValues()
  /// The gap that the next save without history may extend.
  let ownGap = HistoryGap()
  /// The transactions of contexts around their saves, by their database session. Each entry is written by
  /// the thread that has the session.
  let openTransactions = Mutex<[ObjectIdentifier: EnclosingTransaction]>([:])
  /// The end of the history after the last commit of this store, and that state; `nil` if it is not known.
  let committedHistoryEnd = Mutex<(HistoryWriter.End, StoreState)?>(nil)
  /// The contexts that read several times from one state, by their database session.
  let openSnapshots = Mutex<[ObjectIdentifier: EditingState.ID]>([:])

  package init(
    name: String, identifier: String, schema: Schema, mapping: SchemaMapping,
    driver: any SQLDriver, isWritable: Bool = true, refusal: SwiftDataError? = nil,
    trees: Set<String> = [],
    history: HistoryTables? = nil, removedEntities: [Int: String] = [:],
    keepsHistory: Bool = true, retention: HistoryRetention? = nil,
    clock: (@Sendable () -> Date)? = nil,
    log: StatementLog? = nil
  ) {
    self.name = name
    self.identifier = identifier
    self.schema = schema
    self.isWritable = isWritable
    self.refusal = refusal
    self.mapping = mapping
    self.driver = driver
    self.trees = trees
    self.clock = clock
    self.log = log
    self.history = history
    self.removedEntities = removedEntities
    historyRecords =
      HistoryRecords(
        mapping: mapping, storeIdentifier: identifier, removedEntities: removedEntities,
        hasRanges: history?.hasRanges ?? false
      ).transactions
    self.keepsHistory = keepsHistory
    pruner = history == nil ? nil : retention.map(HistoryPruner.init)
    plans = StorePlans(
      mapping: mapping, schema: schema, database: driver.capabilities,
      storeIdentifier: identifier, history: history)
  }

  package var readerCount: Int? { driver.readerCount }

  package var writerCount: Int { driver.writerCount }

  /// Whether saves and deletions are recorded in the history.
  package var writesHistory: Bool { history != nil && keepsHistory }

  /// The time that the history records, in seconds since 2001-01-01.
  var now: Double { (clock?() ?? Date()).timeIntervalSinceReferenceDate }

  /// How captured values are bound.
  var forms: StoredForms {
    StoredForms(mapping: mapping, storeIdentifier: identifier, dialect: driver.dialect)
  }

  func reading(_ selection: EntitySelection, limit: Int? = nil) -> RowReading {
    RowReading(selection: selection, limit: limit, outside: driver.externalValues)
  }

  /// The mapping of an entity.
  /// - Throws: `SwiftDataError.unknownSchema` if the entity is not in the store.
  func entity(_ descriptor: _ModelDescriptor) throws -> EntityMapping {
    if let entity = mapping.entity(named: descriptor.entityName) { return entity }
    throw SwiftDataError.notStored(entity: descriptor.entityName, by: name)
  }

  /// Runs a transaction, and then updates the files of external values accordingly.
  func transaction<R>(_ session: any SQLSession, _ body: () throws -> R) throws -> R {
    try driver.externalValues?.transaction(session, body) ?? session.transaction(body)
  }

  /// Does nothing: the store has no state for contexts.
  package func begin(_ editingState: EditingState) {}

  /// Does nothing: the store has no state for contexts.
  package func end(_ editingState: EditingState) {}

  /// Deletes all rows.
  package func erase() throws {
    try requireWritable()
    try driver.write(else: "nothing was deleted") { session in
      let editor = EditingState()
      try requireNoOther(than: editor, session)
      try transaction(session) {
        let changes = RowChanges(self, session, by: editor)
        for root in mapping.entities where root.superName == nil {
          try changes.noteDeletion(of: root, where: nil, [])
        }
        try changes.finish()
        for table in mapping.tables {
          let delete = Delete(from: table.table.name, where: nil)
          try session.statement(delete.rendered(in: driver.dialect).sql).run(.none)
        }
      }
      didCommit()
    }
  }
}
