import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData

/// Copies the readable content of a damaged store into a new one. Called by
/// `ModelContainer.recoverStore`.
///
/// 1. `StoreRecoverySource` reads the structure of the file. Missing parts are taken from an empty
///    store of the models with the entity numbers of the file (`EntityNumberSearch`).
/// 2. The tables are created. `PageScanner` finds the rows of each table, and they are copied.
/// 3. Rows on pages below a damaged page are recognised by their entity number and key.
/// 4. Indexes are built from the rows. Of rows with equal unique values the newest is kept.
/// 5. The external files that rows name are copied, SQLite checks the new file, and it is renamed.
///
/// The damaged file is read without locks and never written. A write by another process is detected
/// at the end; the new file is removed then, as after any error.
struct StoreRecoveryRun {
  private var source: StoreRecoverySource
  private var recovery: StoreRecovery
  /// The destination with symbolic links resolved: a link to a missing file has the name that the new
  /// store would get.
  private let newURL: URL
  private let temporaryURL: URL
  /// The files before any of them was read.
  private let stamp: DatabaseFile.Stamp

  /// - Throws: `SwiftDataError.loadIssueModelContainer`
  static func recover(from source: URL, to destination: URL, schema: Schema?) throws
    -> StoreRecovery
  {
    let stamp = DatabaseFile.Stamp(of: resolved(source).path)
    do {
      let file = try checkedFile(source, destination)
      let newURL = resolved(destination)
      let temporaryURL = newURL.deletingLastPathComponent()
        .appendingPathComponent(".\(newURL.lastPathComponent).\(UUID().uuidString)")
      defer {
        for suffix in ["", "-wal", "-shm", "-journal"] { remove(temporaryURL.path + suffix) }
      }
      let pages = try DatabasePages(file)
      try checkLog(of: file, pages, source)
      var run = try StoreRecoveryRun(
        pages, stamp, StoreRecovery(source: source, destination: destination), temporaryURL, schema)
      return try run.finished()
    } catch let error as SQLiteError {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store at \(source.path) can't be copied to \(destination.path).",
        doing: "recovering a store", underlying: SwiftDataError.DatabaseFailure(error))
    } catch let error as SwiftDataError {
      throw error
    } catch {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store at \(source.path) can't be copied to \(destination.path). Check the folder and "
          + "the free space of its volume.", doing: "recovering a store", underlying: error)
    }
  }

  private static func resolved(_ url: URL) -> URL {
    URL(fileURLWithPath: DatabaseFile.resolvedPath(url.path))
  }

  private static func checkedFile(_ source: URL, _ destination: URL) throws -> DatabaseFile {
    let file = try DatabaseFile(at: source.path)
    func refusal(_ reason: String) -> SwiftDataError {
      .loadIssueModelContainer.with(reason, doing: "recovering a store")
    }
    guard file.kind == .file, file.isReadable, file.size > 0 else {
      throw refusal("There is no readable file at \(source.path). Check the URL.")
    }
    // SQLite would apply a journal or a log that is left there to the new file.
    let path = resolved(destination).path
    for suffix in ["", "-wal", "-journal"]
    where FileManager.default.fileExists(atPath: path + suffix) {
      throw refusal("There is already a file at \(path)\(suffix). Choose another path.")
    }
    let folder = ExternalFolder(of: source)
    if folder.isShared(with: ExternalFolder(of: destination)), !folder.files().isEmpty {
      throw refusal(
        "A store at \(destination.path) would use the same folder for large values, "
          + "\(folder.support.lastPathComponent). Choose a file name that differs in more than the "
          + "extension.")
    }
    // Pages of an open transaction may be in the file already, and nothing changes them meanwhile.
    if file.isBeingWritten, file.journal?.isBegun == true {
      throw refusal(
        "A program is writing the store at \(source.path). Close it in all programs and try again.")
    }
    if file.hasUnfinishedTransaction, file.journal?.isBegun == true {
      throw refusal(
        "A program was interrupted while it wrote \(source.path). Copy the file together with "
          + "\(source.lastPathComponent)-journal, open the copy with SQLite to roll back the write, and "
          + "recover the copy.")
    }
    return file
  }

  /// Refuses a log of another store, or of another state of this one: its pages would replace those of
  /// this store.
  private static func checkLog(of file: DatabaseFile, _ pages: DatabasePages, _ url: URL) throws {
    guard file.log?.hasContent == true else { return }
    let earlier = StoreRecoverySource(try DatabasePages(file, includesLog: false))
    let whole = StoreRecoverySource(pages)
    let isOwn = earlier.identifier == nil || earlier.identifier == whole.identifier
    if isOwn, hasSize(of: file), continues(earlier, in: whole, file) { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      DatabaseFileProblem.foreignLog.sentence(url), doing: "recovering a store")
  }

  /// Whether the log has the size that the header says. A damaged header says nothing.
  private static func hasSize(of file: DatabaseFile) -> Bool {
    LogLineage.hasSize(of: file) || !isSoundWithoutLog(file)
  }

  /// Whether the history of the file goes on in the log, as far as both can be read. Deleted history is
  /// no sign of another log, as in `LogLineage`.
  private static func continues(
    _ earlier: StoreRecoverySource, in whole: StoreRecoverySource, _ file: DatabaseFile
  ) -> Bool {
    guard let known = earlier.transactionTimes(), let last = known.keys.max(),
      let found = whole.transactionTimes(), !found.isEmpty
    else { return true }
    if known.contains(where: { number, time in found[number].map { $0 != time } ?? false }) {
      return false
    }
    let next = found.keys.filter { $0 > last }.min()
    let hasGap = found[last] != nil && next.map { $0 != last + 1 } ?? false
    let lacksLast =
      earlier.lastTransaction == last
      && whole.lastTransaction.map { $0 != found.keys.max() } ?? false
    guard hasGap || lacksLast else { return true }
    // Transactions are missing, which somebody may have deleted. Of another log pages are missing too,
    // unless the file itself is damaged.
    return isSound { try file.look() } || !isSoundWithoutLog(file)
  }

  private static func isSoundWithoutLog(_ file: DatabaseFile) -> Bool {
    isSound { try file.openWithoutLog() }
  }

  private static func isSound(_ open: () throws -> Connection?) -> Bool {
    (try? open()?.text("PRAGMA quick_check(1)")) == "ok"
  }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private init(
    _ pages: DatabasePages, _ stamp: DatabaseFile.Stamp, _ recovery: StoreRecovery,
    _ temporaryURL: URL, _ schema: Schema?
  ) throws {
    self.temporaryURL = temporaryURL
    newURL = Self.resolved(recovery.destination)
    self.recovery = recovery
    self.stamp = stamp
    source = StoreRecoverySource(pages)
    self.recovery.unreadableParts = source.unreadableParts
    self.recovery.damagedPages = source.damagedPages
    if source.isOtherDatabase {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(recovery.source.path) is an SQLite database, but not a store: it has no Z_METADATA. "
          + "Choose another URL.", doing: "recovering a store", because: .storeDamaged)
    }
    try schema?.validate()
    let models = schema.map { DescribedSchema($0) }
    var judgement = try DescriptionJudgement(pages, source, models)
    if let models {
      let known = judgement.source
      try judgement.complete(
        from: try Self.empty(
          models, FileEntities(stored: known.storedEntities, model: known.model), temporaryURL))
    }
    source = judgement.source
    self.recovery.unreadableParts = source.unreadableParts
    if schema == nil, !source.hasTableDescriptions {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store at \(recovery.source.path) has lost the description of its models. "
          + "Use ModelContainer.recoverStore(at:to:for:) with a Schema of the models.",
        doing: "recovering a store")
    }
  }

  /// The structure of an empty store of the models.
  /// - Parameter entities: The entities of the damaged file, whose numbers are used.
  private static func empty(
    _ models: DescribedSchema, _ entities: FileEntities, _ temporaryURL: URL
  ) throws -> StoreRecoverySource {
    let url = URL(fileURLWithPath: temporaryURL.path + "-models")
    defer { for suffix in ["", "-wal", "-shm"] { remove(url.path + suffix) } }
    do {
      let connection = try Connection(path: url.path)
      let mapping = SchemaMapping(models, file: entities)
      try connection.transaction { try StoreCreation(mapping).create(connection) }
    }
    return StoreRecoverySource(try DatabasePages(DatabaseFile(at: url.path)))
  }

  private mutating func finished() throws -> StoreRecovery {
    try FileManager.default.createDirectory(
      at: temporaryURL.deletingLastPathComponent(), withIntermediateDirectories: true)
    let externalNames = try write()
    guard DatabaseFile.Stamp(of: Self.resolved(recovery.source).path) == stamp else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store at \(recovery.source.path) was written while it was copied. Close it in all programs "
          + "and try again.", doing: "recovering a store")
    }
    (recovery.copiedExternalFiles, recovery.missingExternalFiles) = try RecoveredFiles(
      from: recovery.source, to: recovery.destination
    ).copy(externalNames) {
      try FileManager.default.moveItem(at: temporaryURL, to: newURL)
    }
    return recovery
  }

  /// Writes the new file and closes it.
  /// - Returns: The names of the external files in its rows.
  private mutating func write() throws -> Set<String> {
    var writer = StoreRecoveryWriter(try Connection(path: temporaryURL.path), source: source)
    if try !writer.makeTables() { recovery.unreadableParts.insert(.tables) }
    for table in writer.tables where table.root > 0 {
      var copy = try writer.copy(of: table)
      let losses = try source.walk.rows(root: table.root) { try copy.add($0, $1) }
      try writer.finish(copy, losses)
      recovery.damagedPages += losses.pages
    }
    for index in source.objects where index.type == "index" && index.root > 0 {
      let damaged = source.walk.damagedPages(ofIndex: index.root)
      if damaged.isEmpty { continue }
      recovery.damagedPages += damaged
      recovery.rebuiltIndexes.append(index.name)
    }
    try writer.copyOrphanRows(source.walk, &recovery.unreadableParts)
    if writer.hasLostDefaults { recovery.unreadableParts.insert(.tables) }
    try writer.makeIndexes()
    try writer.finishKeys()
    if try writer.removeChangesWithoutTransaction() { recovery.unreadableParts.insert(.history) }
    try writer.check()
    recovery.tables = writer.results()
    recovery.damagedPages = Set(recovery.damagedPages).sorted()
    recovery.rebuiltIndexes.sort()
    let history = ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"]
    if recovery.tables.contains(where: { history.contains($0.name) && !$0.isComplete }) {
      recovery.unreadableParts.insert(.history)
    }
    return writer.externalNames
  }
}
