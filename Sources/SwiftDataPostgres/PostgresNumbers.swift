import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData
import Synchronization

/// Keys and history numbers from sequences, which are not part of transactions.
///
/// - *Keys*: each table of models has a sequence. Its values are the first keys of blocks, so that a
///   small save mostly needs no statement. `blocks` has the keys that this process has taken and not used;
///   they are lost when it ends. The last key in `Z_PRIMARYKEY` is not used: it would be the row that
///   all saves write.
/// - *History*: the number of a transaction is taken under a lock that is held until the commit is
///   visible, so that numbers have the order of the commits. The statements that take the lock and the
///   number, and add the transaction and its changes, are the last ones, so that the lock is held for no round
///   trip.
/// - A key may be taken by a row that another program has written. Then the save fails with
///   `takenKey`, and its repetition sets the sequence to the largest key in the table.
///
/// A mutex guards the blocks, the known texts and the tables with taken keys.
final class PostgresNumbers: NumberAllocator {
  private struct State {
    /// Unused keys, by the number of the root entity.
    var blocks: [Int: [Range<Int64>]] = [:]
    /// The keys of the texts of the history that are stored, by their bytes, unless another writer has removed
    /// them.
    var texts: [[UInt8]: Int64] = [:]
    /// The tables whose sequence is not after the largest key.
    var outdated: Set<String> = []
    /// The number of a transaction of the history that was committed.
    var lastCommitted: Int64?
  }

  private let mapping: SchemaMapping
  /// Takes the lock of the history, if the server has no advisory locks.
  private let rowLock: String?
  /// The expression that takes the number of a transaction.
  private let nextNumber: String
  private let addTransaction: String
  private let addTransactionByTexts: String
  /// The statements that look for an inserted row after a lost commit, by the number of its entity.
  private let rowProofs: [Int: String]
  private let state = Mutex(State())

  /// The number of keys in a block. A process that ends loses half of it for each table.
  private static let blockSize: Int64 = 64
  /// Keys of models fit into 48 bits.
  private static let largestKey: Int64 = 0xFFFF_FFFF_FFFF

  /// Up to so many changes are statements of their own.
  private static let fewChanges = 3
  /// The largest number of texts whose keys are kept.
  private static let textLimit = 4096

  init(_ mapping: SchemaMapping, lock: StoreLock) {
    self.mapping = mapping
    if lock.profile.advisoryLocks {
      rowLock = nil
      nextNumber = """
        CASE WHEN pg_advisory_xact_lock(\(PostgresNumbers.lockClass), \
        '"ATRANSACTION"'::regclass::oid::integer)::text IS NOT NULL \
        THEN nextval('\(PostgresNumbers.sequence(16_002))') END
        """
    } else {
      rowLock = lock.statement(for: .history)
      nextNumber = "nextval('\(PostgresNumbers.sequence(16_002))')"
    }
    addTransaction = PostgresNumbers.addTransaction(nextNumber)
    addTransactionByTexts = PostgresNumbers.addTransactionByTexts(nextNumber)
    rowProofs = Dictionary(
      mapping.entities.map { ($0.number, PostgresNumbers.proof(ofRowIn: $0.table)) },
      uniquingKeysWith: { first, _ in first })
  }

  // MARK: Keys

  func reserveKeys(
    _ count: Int, of root: EntityMapping, _ session: any SQLSession
  ) throws -> Range<Int64> {
    if let keys = takeKeys(count, of: root.number) { return keys }
    do {
      try correctSequences(session)
      let blocks = (Int64(count) - 1) / PostgresNumbers.blockSize + 1
      let starts = try session.statement(
        """
        SELECT nextval('\(PostgresNumbers.sequence(root.number))') \
        FROM generate_series(1, $1::bigint)
        """
      ).integers(.integer(blocks))
      let new = starts.map { first in
        // Another program may have set the sequence to any value.
        first..<min(first + PostgresNumbers.blockSize, PostgresNumbers.largestKey + 1)
      }
      state.withLock { state in
        for keys in new { PostgresNumbers.add(keys, to: &state.blocks[root.number, default: []]) }
      }
    } catch let error as PostgresError where error.state == .sequenceLimitExceeded {
      throw PostgresNumbers.exhausted(root, error)
    }
    // Another thread may have taken some of them in the meantime.
    return try takeKeys(count, of: root.number) ?? reserveKeys(count, of: root, session)
  }

  func returnKeys(_ keys: Range<Int64>, of root: EntityMapping) {
    state.withLock { state in
      guard !state.outdated.contains(root.table) else { return }
      state.blocks[root.number, default: []].insert(keys, at: 0)
    }
  }

  private func takeKeys(_ count: Int, of root: Int) -> Range<Int64>? {
    state.withLock { state in
      guard let first = state.blocks[root]?.first else { return nil }
      let keys = first.prefix(count)
      let rest = first.dropFirst(count)
      state.blocks[root]?.removeFirst()
      if !rest.isEmpty { state.blocks[root]?.insert(rest, at: 0) }
      return keys
    }
  }

  /// Blocks that follow each other are one range.
  private static func add(_ keys: Range<Int64>, to blocks: inout [Range<Int64>]) {
    if let last = blocks.last, last.upperBound == keys.lowerBound {
      blocks[blocks.count - 1] = last.lowerBound..<keys.upperBound
    } else if !keys.isEmpty {
      blocks.append(keys)
    }
  }

  private static func exhausted(_ root: EntityMapping, _ error: PostgresError) -> SwiftDataError {
    .storeWriteFailure.with(
      "No key is left for new rows; nothing was saved. Another program used the largest key for a row, "
        + "or set the sequence \(sequence(root.number)) to it. Correct it there.",
      doing: "choosing keys for new rows", entity: root.name, underlying: error)
  }

  // MARK: Taken keys

  /// A row of another program has a key that was reserved.
  func noteTakenKey(in table: String) {
    state.withLock { state in
      state.outdated.insert(table)
      for entity in mapping.entities where entity.table == table {
        state.blocks[entity.number] = nil
      }
    }
  }

  /// Sets the sequences of tables with taken keys to their largest keys. A rollback does not undo it.
  private func correctSequences(_ session: any SQLSession) throws {
    for table in state.withLock({ $0.outdated }) {
      let root = mapping.entities.first { $0.table == table && $0.superName == nil }
      let entity = root?.number ?? PostgresNumbers.historyEntity(of: table)
      if let number = entity {
        let sequence = PostgresNumbers.sequence(number)
        _ = try session.statement(
          """
          SELECT setval('\(sequence)', least(\(PostgresNumbers.largestKey), \
          greatest((SELECT last_value FROM \(sequence)), \
          (SELECT max("Z_PK") FROM \(PostgresConnection.quoted(table))))))
          """
        ).integer(.none)
      }
      state.withLock { state in _ = state.outdated.remove(table) }
    }
  }

  private static func historyEntity(of table: String) -> Int? {
    HistoryTables.Entity.allCases.first { $0.table == table }?.rawValue
  }

  // MARK: Sequences

  /// Whether a name is that of an entity's sequence.
  static func isSequence(_ name: String) -> Bool {
    name.hasPrefix("Z_KEYS_") && Int(name.dropFirst(7)) != nil
  }

  /// The name in SQL of an entity's sequence.
  static func sequence(_ number: Int) -> String { "\"Z_KEYS_\(number)\"" }

  /// Creates the sequences that do not exist, and sets the others behind the keys in the tables, which
  /// a migration assigns without them.
  static func completeSequences(
    _ mapping: SchemaMapping, _ connection: PostgresConnection
  ) throws {
    try completeSequences(
      mapping.entities.filter { $0.superName == nil }.map { ($0.number, $0.table) }, connection)
  }

  /// - Parameter roots: The numbers and tables of the root entities.
  static func completeSequences(
    _ roots: [(number: Int, table: String)], _ connection: PostgresConnection
  ) throws {
    let known = try connection.prepare(
      """
      SELECT relname::text FROM pg_class WHERE relkind = 'S' \
      AND relnamespace = to_regnamespace(quote_ident(current_schema()))
      """
    ).rows { rows in
      var names: Set<String> = []
      while try rows.next() { names.insert(PostgresConnection.quoted(try rows.text(0) ?? "")) }
      return names
    }
    var wanted = roots.map {
      (number: $0.number, table: $0.table, step: blockSize, limit: largestKey)
    }
    wanted += HistoryTables.Entity.allCases.map { ($0.rawValue, $0.table, 1, .max) }
    for (number, table, step, limit) in wanted {
      let sequence = sequence(number)
      let used =
        try connection.prepare(
          """
          SELECT greatest((SELECT max("Z_PK") FROM \(PostgresConnection.quoted(table))), \
          (SELECT max("Z_MAX") FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = \(number)), 0)
          """
        ).integer() ?? 0
      if known.contains(sequence) {
        try connection.execute(
          """
          SELECT setval('\(sequence)', least(\(limit), \
          greatest((SELECT last_value FROM \(sequence)), \(used))))
          """)
      } else {
        try connection.execute(
          """
          CREATE SEQUENCE \(sequence) INCREMENT \(step) MAXVALUE \(limit) \
          START \(min(used + 1, limit))
          """)
      }
    }
  }

  /// The last key that a table's rows have, or that may have been assigned to a row.
  static func lastKey(
    _ number: Int, _ table: String, _ connection: PostgresConnection
  ) throws -> Int64? {
    let largest = try connection.prepare(
      "SELECT max(\"Z_PK\") FROM \(PostgresConnection.quoted(table))"
    ).integer()
    // The numbers of the history are those of its rows.
    guard HistoryTables.Entity(rawValue: number) == nil else { return largest }
    let reserved = try connection.prepare(
      """
      SELECT last_value + increment_by - 1 FROM pg_sequences WHERE schemaname = current_schema() \
      AND sequencename = $1 AND last_value IS NOT NULL
      """)
    try reserved.bind(.text("Z_KEYS_\(number)"))
    return [largest, try reserved.integer()].compactMap(\.self).max()
  }

  // MARK: History

  /// The statements are sent with the commit. Beside other writers they fail if another process has removed a
  /// text since this one has seen it, and the save is repeated. Without other writers missing texts are added by
  /// a statement before them.
  func addTransaction(
    _ transaction: NewTransaction, _ session: any SQLSession, added: @escaping (Int64) -> Void
  ) throws {
    try correctSequences(session)
    let (sql, keys, texts) = try references(to: transaction.texts, session)
    if let rowLock { try session.statement(rowLock).runLater(.none) }
    noteProof(of: transaction, session)
    try session.statement(sql).integersLater(.values(keys + [.real(transaction.time)] + texts)) {
      $0.first.map(added)
    }
    let changes = transaction.changes
    let tombstones = changes.map(\.preserved.count).max() ?? 0
    if tombstones == 0, changes.count <= PostgresNumbers.fewChanges,
      changes.allSatisfy({ $0.keys.count == 1 })
    {
      for change in changes {
        try session.statement(PostgresNumbers.addChange).runLater(
          .values([
            .integer(change.type.rawValue), .integer(Int64(change.entity)),
            .integer(change.keys.lowerBound), change.columns.map { .blob($0) } ?? .null,
          ]))
      }
      return
    }
    let addChanges =
      tombstones == 0
      ? PostgresNumbers.addChangesWithoutValues : PostgresNumbers.addChanges(tombstones: tombstones)
    try session.statement(addChanges).runLater(
      .values(PostgresNumbers.lists(changes, tombstones: tombstones)))
  }

  /// The statement that adds a transaction with these texts, and its parameters before and after the time.
  private func references(
    to texts: [String?], _ session: any SQLSession
  ) throws -> (sql: String, before: [_StoredValue], after: [_StoredValue]) {
    let values = texts.map { $0.map { _StoredValue.text($0) } ?? .null }
    guard session.runsBesideWriters else {
      try session.statement(PostgresNumbers.addTexts).runLater(.values(values))
      return (addTransactionByTexts, values, [])
    }
    var keys: [[UInt8]: Int64] = [:]
    let references = try texts.map { text -> _StoredValue in
      guard let text else { return .null }
      let bytes = Array(text.utf8)
      // A text that this transaction has added must not be looked up: it is not committed.
      let key = try keys[bytes] ?? key(of: text, bytes, session)
      keys[bytes] = key
      return .integer(key)
    }
    return (addTransaction, references, values)
  }

  /// The parameters of `addChanges`.
  private static func lists(
    _ changes: [NewTransaction.Changes], tombstones: Int
  ) -> [_StoredValue] {
    let counts = changes.map { Int64($0.keys.count) }
    let count = counts.reduce(0, +)
    var following = count
    let preserved = (0..<tombstones).map { index in
      list(changes.map { index < $0.preserved.count ? $0.preserved[index] : nil })
    }
    return [
      .integer(count),
      list(changes.map(\.type.rawValue)),
      list(changes.map { Int64($0.entity) }),
      list(changes.map(\.keys.lowerBound)),
      list(changes.map(\.keys.upperBound)),
      list(
        counts.map { count in
          following -= count
          return following
        }),
      list(changes.map(\.columns)),
    ] + preserved
  }

  /// A transaction of the history was committed.
  func noteCommitted(_ number: Int64) {
    state.withLock { $0.lastCommitted = max($0.lastCommitted ?? 0, number) }
  }

  /// Tells the connection by which rows the commit is recognised, if its answer is lost.
  private func noteProof(of transaction: NewTransaction, _ session: any SQLSession) {
    guard let connection = session as? PostgresConnection else { return }
    let time = PostgresValue.double(transaction.time)
    if session.runsBesideWriters, connection.commitProof == nil,
      let proof = uniqueProof(of: transaction, time)
    {
      connection.commitProof = proof
    } else if connection.commitProof?.alternatives?.append(time) == nil {
      // Parts of the transaction that are rolled back leave no row. The first value of another proof is
      // its time.
      let earlier = connection.commitProof?.parameters.prefix(1) ?? []
      connection.commitProof = CommitProof(
        PostgresNumbers.proof, alternatives: Array(earlier) + [time])
    }
  }

  /// Rows that only this transaction leaves; `nil` if there are none.
  private func uniqueProof(of transaction: NewTransaction, _ time: PostgresValue) -> CommitProof? {
    func row(_ change: NewTransaction.Changes) -> [PostgresValue] {
      [time, .integer(Int64(change.entity)), .integer(change.keys.upperBound)]
    }
    if let new = transaction.changes.first(where: { $0.type == .inserted }),
      let proof = rowProofs[new.entity]
    {
      return CommitProof(proof, row(new), isUnique: true)
    }
    guard let changed = transaction.changes.first(where: { $0.type == .updated }),
      let last = state.withLock(\.lastCommitted)
    else { return nil }
    return CommitProof(
      PostgresNumbers.proofOfChange, row(changed) + [.integer(last)], isUnique: true)
  }

  /// Another process has removed texts.
  func forgetTexts() { state.withLock { $0.texts = [:] } }

  /// Whether the error is that of a missing text.
  static func isMissingText(_ error: PostgresError) -> Bool {
    error.state == "22012" && error.sql?.contains(textCheck) == true
  }

  /// The key of a text of the history, which is stored if it is new. Called beside other writers.
  private func key(
    of text: String, _ bytes: [UInt8], _ session: any SQLSession
  ) throws -> Int64 {
    if let key = state.withLock({ $0.texts[bytes] }) { return key }
    let parameters = SQLParameters.values([.text(text)])
    guard let key = try session.statement(PostgresNumbers.findText).integer(parameters) else {
      return try session.statement(PostgresNumbers.addText).integer(parameters) ?? 0
    }
    // Committed, so that a rollback of this transaction does not remove it.
    state.withLock { state in
      if state.texts.count >= PostgresNumbers.textLimit { state.texts = [:] }
      state.texts[bytes] = key
    }
    return key
  }

  private static func list(_ values: [Int64]) -> _StoredValue {
    .text("{" + values.map(String.init).joined(separator: ",") + "}")
  }

  /// Bytes as hexadecimal digits.
  private static func list(_ values: [Data?]) -> _StoredValue {
    // Mostly all changes of a kind have the same columns.
    var last: (value: Data, text: String)?
    let texts = values.map { value in
      guard let value else { return "NULL" }
      if let last, last.value == value { return last.text }
      let text =
        "\""
        + value.map { byte in
          let digits = String(byte, radix: 16)
          return digits.count == 1 ? "0" + digits : digits
        }.joined() + "\""
      last = (value, text)
      return text
    }
    return .text("{" + texts.joined(separator: ",") + "}")
  }
}
