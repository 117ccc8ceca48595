import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// The driver of the relational engine for one PostgreSQL database.
///
/// Connections and statements of `OpenSwiftDataPostgresEngine` are the sessions and prepared
/// statements. Each writing transaction begins with a lock of one table, which no reader needs:
///
/// - An ordinary save takes a lock that other saves take too. The server isolates them from each other
///   (`SERIALIZABLE`), and fails one of two that disturb each other; the engine repeats it. So
///   each rule that the engine checks by reading holds, whatever others write.
/// - Work that can't be repeated, and a save that was disturbed too often, takes a lock that excludes
///   all other writers.
struct PostgresDriver: SQLDriver {
  let pool: PostgresPool
  let mapping: SchemaMapping
  /// Announces commits; `nil` if nobody listens.
  var notifier: CommitNotifier?
  /// Chooses the server of a read; `nil` without standbys.
  var router: ReplicaRouter?
  /// Detects migrations by others, and other stores.
  let monitor: PostgresSchemaMonitor

  var capabilities: SQLCapabilities { .postgreSQL }

  /// All connections but one for the writer, and one for observers, and those to standbys.
  var readerCount: Int {
    max(pool.limits.seatCount - 2, 1) + (router?.connectionCount ?? 0)
  }

  /// Half of the connections, so that reads go on.
  var writerCount: Int { max(pool.limits.seatCount / 2, 1) }

  /// All values are stored in rows.
  var externalValues: (any ExternalValueStore)? { nil }

  let numbers: PostgresNumbers

  var numberAllocator: (any NumberAllocator)? { numbers }

  init(
    pool: PostgresPool, mapping: SchemaMapping, lock: StoreLock, monitor: PostgresSchemaMonitor
  ) {
    self.pool = pool
    self.mapping = mapping
    self.monitor = monitor
    numbers = PostgresNumbers(mapping, lock: lock)
  }

  func read<R>(for reader: EditingState.ID?, _ body: (any SQLSession) throws -> R) throws -> R {
    try reading(for: reader, canRepeat: { true }, body)
  }

  /// The state of one server.
  func snapshot<R>(
    for reader: EditingState.ID?, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R {
    try reading(for: reader, canRepeat: canRepeat) { session in
      try ReadInterruption.allowed(in: session) { try session.snapshot(body) }
    }
  }

  func readingPrimary<R>(for reader: EditingState.ID?, _ body: () throws -> R) throws -> R {
    if router == nil || pool.isHeldByThread(for: reader) { return try body() }
    return try translatingReads {
      try readOnPrimary(
        "a read from the primary server", for: reader, canRepeat: { true }
      ) { _ in try body() }
    }
  }

  func includeInReads(_ number: Int64) { router?.include(number) }

  func didCommit(_ number: Int64?) {
    if let number { numbers.noteCommitted(number) }
    router?.include(number)
    notifier?.notify()
  }

  /// - Parameter canRepeat: Whether `body` may run again after the loss of a connection or a failure of
  ///   a standby.
  private func reading<R>(
    for reader: EditingState.ID?, canRepeat: () -> Bool, _ body: (any SQLSession) throws -> R
  ) throws -> R {
    try ReadInterruption.check()
    func read(_ connection: PostgresConnection) throws -> R {
      let result = try body(connection)
      try monitor.didRead(connection)
      return result
    }
    func readOnStandby(_ connection: PostgresConnection) throws -> R {
      let result = try body(connection)
      try monitor.didRead(connection, onStandby: true)
      return result
    }
    return try translatingReads {
      if pool.isHeldByThread(for: reader) { return try pool.read("a fetch", for: reader, read) }
      guard let router else {
        return try readOnPrimary(for: reader, canRepeat: canRepeat, read)
      }
      // A read inside a snapshot sees the same state.
      if let held = router.held(for: reader) {
        return try held.read("a fetch", for: reader, readOnStandby)
      }
      guard case .standby(let standby, let pool) = router.choose() else {
        return try readOnPrimary(for: reader, canRepeat: canRepeat, read)
      }
      do {
        return try pool.read("a fetch", for: reader, readOnStandby)
      } catch {
        guard let failure = PostgresError(in: error), failure.isOfStandby else { throw error }
        // Later reads would wait for the lock too.
        if failure.isLossOfStandby || failure.state == .lockNotAvailable {
          router.fail(standby, of: pool, because: failure)
        }
        router.include(nil)
        guard canRepeat() else { throw error }
        return try readOnPrimary(for: reader, canRepeat: canRepeat, read)
      }
    }
  }

  /// A read whose connection is lost meanwhile is repeated on a new one. While a server recovers from a
  /// crash, it may close that one too.
  private func readOnPrimary<R>(
    _ work: String = "a fetch", for reader: EditingState.ID?, canRepeat: () -> Bool,
    _ body: (PostgresConnection) throws -> R
  ) throws -> R {
    var repetitions = 0
    while true {
      var isConnected = false
      do {
        return try pool.read(work, for: reader) { connection in
          isConnected = true
          return try body(connection)
        }
      } catch {
        guard PostgresError(in: error)?.repetition == .onNewConnection, isConnected,
          repetitions < 2, canRepeat()
        else { throw error }
        repetitions += 1
      }
    }
  }

  private func translatingReads<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let refusal as PostgresSchemaMonitor.Refusal {
      throw refusal.whileReading
    } catch let last as PostgresError {
      let error = last.causes.first ?? last
      if error.kind == .closed { throw closed }
      if PostgresSchemaMonitor.isFailedCheck(error) { monitor.noteFailedCheck() }
      if PostgresSchemaMonitor.mayBeCause(of: error), let refusal { throw refusal.whileReading }
      throw SwiftDataError.storeReadFailure.with(
        "The store can't be read. The context is unchanged.", entity: entity(of: error)?.name,
        underlying: error)
    }
  }

  func write<R>(
    for writer: EditingState.ID?, else consequence: String,
    _ body: (any SQLSession) throws -> R
  ) throws -> R {
    func write() throws -> R {
      try pool.write("a change", for: writer) { connection in
        prepare(connection)
        return try body(connection)
      }
    }
    return try translating(else: consequence) {
      do {
        return try write()
      } catch let error as PostgresError where PostgresSchemaMonitor.isFailedCheck(error) {
        // The transaction of a context around this one has failed.
        if pool.isHeldByThread {
          monitor.noteFailedCheck()
          throw error
        }
        try verify()
        return try write()
      }
    }
  }

  /// Sets how transactions on the connection begin.
  fileprivate func prepare(_ connection: PostgresConnection) {
    connection.preambles = monitor.preambles
    connection.defersStatements = true
  }

  private func verify() throws {
    try pool.read("a check") { try monitor.verify($0, onStandby: false) }
  }

  /// Why the tables can't be used any more; `nil` if they can, or if that can't be found out.
  private var refusal: PostgresSchemaMonitor.Refusal? {
    do {
      try verify()
      return nil
    } catch {
      return error as? PostgresSchemaMonitor.Refusal
    }
  }

  func leaseWriter(
    for writer: EditingState.ID?, within limit: Duration?
  ) throws -> any SQLWriterLease {
    try translating(else: PostgresWriterLease.consequence) {
      let lease = try pool.lease(for: writer, within: limit)
      try monitor.willWrite(lease.connection)
      prepare(lease.connection)
      return PostgresWriterLease(driver: self, lease: lease)
    }
  }

  fileprivate func translating<R>(else consequence: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let refusal as PostgresSchemaMonitor.Refusal {
      throw refusal.whileWriting(else: consequence)
    } catch let last as PostgresError {
      // Statements after the first error are refused because of it.
      let error = last.causes.first ?? last
      if error.kind == .closed { throw closed }
      let entity = entity(of: error)
      if error.isTakenKey, let table = error.table { numbers.noteTakenKey(in: table) }
      if PostgresNumbers.isMissingText(error) { numbers.forgetTexts() }
      if isOfHistoryText(error) {
        throw SwiftDataError.storeWriteFailure.with(
          "The author or the name of the context can't be stored; \(consequence). Give it a shorter text without "
            + "U+0000.", property: "author", underlying: error,
          because: .invalidValue(entity: nil, property: "author"))
      }
      guard !error.isUniquenessViolation else {
        throw UniqueViolation(
          table: error.table, columns: error.constrainedColumns, statement: error.sql, mapping
        ).error(error, else: consequence)
      }
      if let limit = error.exceededIndexLimit {
        throw tooLong(error, limit, else: consequence)
      }
      throw SwiftDataError.storeWriteFailure.with(
        PostgresDriver.text(of: error, else: consequence), entity: entity?.name,
        property: properties(of: error, entity), underlying: error)
    }
  }

  /// The error of each use after `ModelContainer.close()`, as in the default store.
  private var closed: SwiftDataError {
    .containerClosed.with(
      "The store in \(pool.parameters) was closed with its container. Open a new container to use it "
        + "again.")
  }

  /// Whether the database refuses a text that the history keeps once for all its transactions.
  private func isOfHistoryText(_ error: PostgresError) -> Bool {
    let table = HistoryTables.Entity.text.table
    if error.kind == .value { return parameterColumn(of: error)?.table == table }
    return error.exceededIndexLimit != nil && writtenTable(of: error) == table
  }

  private func writtenTable(of error: PostgresError) -> String? {
    error.table ?? error.sql.flatMap(ParameterColumn.writtenTable)
  }

  /// The error for a value that does not fit into an index. The server does not always name the index, and never the
  /// value, so a property is named only if no other one can be meant.
  private func tooLong(
    _ error: PostgresError, _ limit: String, else consequence: String
  ) -> SwiftDataError {
    let table = writtenTable(of: error).flatMap { name in
      mapping.tables.first { $0.table.name == name }
    }
    let texts = table?.table.columns.filter { $0.type == .text || $0.type == .blob }.map(\.name)
    let indexed = table?.indexes.filter { [nil, $0.name].contains(error.constraint) }
      .flatMap(\.columns).map(\.name)
    let columns = (texts ?? []).filter { column in
      indexed?.contains(column) == true && error.sql?.contains(column.quotedName) != false
    }
    let entities = mapping.entities.filter { $0.table == table?.table.name }
    let entity = entities.first { $0.properties(of: columns).count == columns.count }
    let properties = entity?.properties(of: columns) ?? []
    let isCertain = columns.count == 1 && properties.count == 1
    let candidates = properties.map { "'\($0)'" }.joined(separator: " or ")
    return .modelValidationFailure.with(
      "A value \(isCertain || properties.isEmpty ? "" : "of \(candidates) ")is too long for an index; "
        + "\(consequence). \(limit) Store a shorter value, or remove #Index or .unique of the property.",
      entity: (entity ?? entities.first)?.name, property: isCertain ? properties[0] : nil,
      underlying: error)
  }

  private static func text(of error: PostgresError, else consequence: String) -> String {
    if error.isOutcomeUnknown {
      return
        "The connection was lost during the commit, and the server did not tell what became of it. "
        + "Either all changes were stored, or none. Fetch the models before saving them again."
    }
    if error.obstacle == .concurrentChange {
      return "Other writers changed the same rows at the same time; \(consequence). Do it again."
    }
    return "The store can't be written; \(consequence)."
  }

  private func parameterColumn(of error: PostgresError) -> ParameterColumn? {
    guard let number = error.parameter, let sql = error.sql else { return nil }
    return ParameterColumn(of: number, in: sql)
  }

  private func entity(of error: PostgresError) -> EntityMapping? {
    (error.table ?? parameterColumn(of: error)?.table).flatMap { table in
      mapping.entities.first { $0.table == table }
    }
  }

  private func properties(of error: PostgresError, _ entity: EntityMapping?) -> String? {
    let named = error.column ?? parameterColumn(of: error)?.column
    return names(of: named.map { [$0] } ?? error.constrainedColumns, entity)
  }

  private func names(of columns: [String], _ entity: EntityMapping?) -> String? {
    let names = entity?.properties(of: columns) ?? []
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }
}

extension PostgresError {
  /// The failure of a read; a read inside of it may have described it already.
  fileprivate init?(in error: any Error) {
    let underlying = (error as? SwiftDataError)?.underlyingError
    guard let failure = error as? PostgresError ?? underlying as? PostgresError else { return nil }
    self = failure
  }

  /// Whether the server can't be used any more. One that does not answer in time does not even end the statement.
  var isLossOfStandby: Bool {
    repetition == .onNewConnection || kind == .connection || kind == .busy
      || kind == .timeout && state == nil
  }

  /// Whether the primary server may answer although a standby can't: it was lost, cancelled the
  /// statement because of a conflict with what it replays, holds a lock that it has replayed, or does not have a
  /// new table yet.
  fileprivate var isOfStandby: Bool {
    let transient: Set<SQLState> = [
      .serializationFailure, .deadlock, .lockNotAvailable, "42P01", "42703", "42704", "42883",
    ]
    return isLossOfStandby || state.map(transient.contains) ?? false
  }
}

private final class PostgresWriterLease: SQLWriterLease {
  static let consequence = "nothing was saved"

  private let driver: PostgresDriver
  private let lease: PostgresPool.Lease

  init(driver: PostgresDriver, lease: PostgresPool.Lease) {
    self.driver = driver
    self.lease = lease
  }

  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    let connection = lease.connection
    return try driver.translating(else: PostgresWriterLease.consequence) {
      do {
        return try body(connection)
      } catch let error as PostgresError where PostgresSchemaMonitor.isFailedCheck(error) {
        connection.rollback()
        // The first statement of a transaction around this one has failed; the next lease verifies.
        if connection.hasOpenTransaction {
          driver.monitor.noteFailedCheck()
          throw error
        }
        // Throws if the tables can't be used any more; otherwise the work is repeated.
        try driver.monitor.verify(connection, onStandby: false)
        driver.prepare(connection)
        throw error
      }
    }
  }

  func end() { lease.end() }
}
