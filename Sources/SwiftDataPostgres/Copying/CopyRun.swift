import Foundation
import SwiftData

/// Copies one store. Called by `StoreCopy`.
///
/// 1. Parts that are not in the model, and a target that can't take the store, are refused.
/// 2. The target creates the tables, or finds what an interrupted run has copied.
/// 3. Rows are read in the order of their keys, and committed in groups with the last key. So a killed
///    run has whole groups, and the next one goes on after the last key.
/// 4. Indexes are created.
/// 5. The rows of both sides are read in the order of their keys. Counts and checksums must agree.
///    A source that could not be locked must not have changed.
/// 6. The target writes the last keys and the identifier: the copy is a store.
struct CopyRun {
  /// An error of the caller's closure, which passes as it is.
  struct Interruption: Error {
    let error: any Error
  }

  private let source: any CopySource
  private let target: any CopyTarget
  private let options: StoreCopy
  private let progress: (StoreCopy.Progress) throws -> Void

  /// A group ends after as many rows, or as many bytes.
  private static let groupRows = 2_000
  private static let groupBytes = 4 << 20

  init(
    source: any CopySource, target: any CopyTarget, options: StoreCopy,
    _ progress: @escaping (StoreCopy.Progress) throws -> Void
  ) {
    self.source = source
    self.target = target
    self.options = options
    self.progress = progress
  }

  private var store: CopiedStore { source.store }

  // MARK: Preview

  func preview() throws -> StoreCopy.Preview {
    let unknown = try source.unknownParts()
    var problems = [try target.refusal(of: store)].compactMap { $0 }
    if !options.leavesOutUnknown { problems += unknown.map { "\($0) is not in the model" } }
    var tables: [StoreCopy.Table] = []
    var bad = 0
    for table in store.tables {
      var (count, checksum) = (0, RowChecksum())
      let total = try total(of: table)
      do {
        try source.rows(of: table, after: nil) { row in
          if bad < 20, let problem = try problem(in: row, of: table) {
            problems.append(problem)
            bad += 1
          }
          checksum.add(row)
          count += 1
          try report(.checking, table, count, total)
        }
      } catch let error as SwiftDataError {
        problems.append(error.explanation)
      }
      tables.append(StoreCopy.Table(name: table.name, rows: count, checksum: checksum.text))
    }
    try source.requireUnchanged()
    return StoreCopy.Preview(
      source: options.source, target: options.target, tables: tables, unknown: unknown,
      problems: problems)
  }

  private func problem(in row: [CopiedValue], of table: CopiedTable) throws -> String? {
    func key() -> Int64 { (try? table.key(of: row))?.first ?? 0 }
    for (value, column) in zip(row, table.columns) {
      guard let refusal = target.refusal(of: value, in: column) else { continue }
      return "The row p\(key()) of \(table.name) has \(refusal) in the column \(column.name)."
    }
    return try target.indexRefusal(of: row, in: table, store).map {
      "The row p\(key()) of \(table.name) has \($0)"
    }
  }

  private func total(of table: CopiedTable) throws -> Int {
    Int(try source.summary(of: table).first ?? 0)
  }

  private func report(
    _ phase: StoreCopy.Progress.Phase, _ table: CopiedTable, _ rows: Int, _ total: Int
  ) throws {
    guard rows % CopyRun.groupRows == 0 || rows == total else { return }
    do {
      try progress(StoreCopy.Progress(phase: phase, table: table.name, rows: rows, total: total))
    } catch {
      throw Interruption(error: error)
    }
  }

  // MARK: Copy

  func run() throws -> StoreCopy.Report {
    let unknown = try source.unknownParts()
    if !unknown.isEmpty, !options.leavesOutUnknown {
      throw refused(
        "The source has what its model does not have: \(unknown.joined(separator: ", ")). Leave it out on "
          + "purpose (leavesOutUnknown, --leave-out-unknown), or save it elsewhere first.")
    }
    if let refusal = try target.refusal(of: store) { throw refused(refusal) }
    let summaries = try store.tables.map { try source.summary(of: $0) }
    let parts = try target.begin(
      store, fingerprint: store.fingerprint(summaries), startsAnew: options.startsAnew)
    do {
      for table in store.tables { try copy(table, parts[table.name] ?? CopiedPart()) }
      try target.makeIndexes(store)
      let tables = try store.tables.map(verified)
      try source.requireUnchanged()
      let identifier = options.keepsIdentifier ? store.identifier : UUID().uuidString
      try target.finish(store, identifier: identifier)
      return StoreCopy.Report(
        source: options.source, target: options.target, identifier: identifier, tables: tables,
        leftOut: unknown, resumedRows: parts.values.reduce(0) { $0 + $1.rows })
    } catch {
      throw options.described(
        error,
        "The copy into \(options.target) stopped. What was copied is kept; run the same copy again to go on."
      )
    }
  }

  private func refused(_ reason: String) -> SwiftDataError {
    .loadIssueModelContainer.with(reason, doing: "copying a store")
  }

  private func copy(_ table: CopiedTable, _ copied: CopiedPart) throws {
    var part = copied
    var (group, bytes): ([[CopiedValue]], Int) = ([], 0)
    let total = try total(of: table)
    func commit() throws {
      if group.isEmpty { return }
      try target.append(group, to: table, part)
      (group, bytes) = ([], 0)
    }
    try source.rows(of: table, after: copied.last) { row in
      if let problem = try problem(in: row, of: table) {
        throw refused(
          "\(problem) A preview (--dry-run) lists all such values. What was copied is kept; correct "
            + "the source, and run the copy again.")
      }
      group.append(row)
      bytes += row.reduce(0) { $0 + $1.size }
      part.rows += 1
      part.last = try table.key(of: row)
      if group.count >= CopyRun.groupRows || bytes >= CopyRun.groupBytes { try commit() }
      try report(.copying, table, part.rows, total)
    }
    try commit()
  }

  private func verified(_ table: CopiedTable) throws -> StoreCopy.Table {
    let total = try total(of: table)
    var (own, ownCount) = (RowChecksum(), 0)
    try source.rows(of: table, after: nil) {
      own.add($0)
      ownCount += 1
    }
    var (other, otherCount) = (RowChecksum(), 0)
    try target.rows(of: table) {
      other.add($0)
      otherCount += 1
      try report(.verifying, table, otherCount, total)
    }
    guard own.text == other.text, ownCount == otherCount else {
      throw SwiftDataError.storeWriteFailure.with(
        "The copy of \(table.name) differs from the source: \(otherCount) rows with the checksum "
          + "\(other.text) instead of \(ownCount) with \(own.text). The source was changed during an "
          + "interrupted copy, or another program wrote into the target. Start anew (startsAnew, "
          + "--restart). The copy can't be opened as a store.", doing: "verifying a copy")
    }
    return StoreCopy.Table(name: table.name, rows: ownCount, checksum: own.text)
  }
}
