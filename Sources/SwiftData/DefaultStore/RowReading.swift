import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLiteEngine

/// Steps a statement and makes a snapshot over each row.
struct RowReading {
  let store: DefaultStore
  let selection: EntitySelection

  /// - Parameter each: Called with the statement on each row that is read.
  func readAll(
    _ statement: Statement, _ limit: Int?, each: ((Statement) -> Void)? = nil
  ) throws -> FetchedRows {
    selection.hasEntityNumber
      ? .snapshots(try readMixed(statement, each))
      : .batch(try readBatch(statement, limit, each))
  }

  /// Reads rows of a few properties, in runs of one entity.
  func readPartial(_ statement: Statement, _ limit: Int?) throws -> [RowBatch] {
    guard selection.hasEntityNumber else { return [try readBatch(statement, limit, nil)] }
    var batches: [RowBatch] = []
    try copyMixedRows(statement) { member, page, row in
      if batches.last?.descriptor !== member.descriptor {
        batches.append(RowBatch(descriptor: member.descriptor, scope: member.scope))
      }
      batches[batches.count - 1].append(page: page, row: row, key: statement.int64(0))
    }
    return batches
  }

  private func readBatch(
    _ statement: Statement, _ limit: Int?, _ each: ((Statement) -> Void)?
  ) throws -> RowBatch {
    let member = selection.onlyMember
    var batch = RowBatch(descriptor: member.descriptor, scope: member.scope)
    guard try statement.step() else { return batch }
    if let limit, limit < 10_000 { batch.reserve(limit) }
    var builder = member.builder(expectedRows: limit ?? 64)
    let file = store.file
    repeat {
      let place = statement.copyRow(
        into: &builder, member.sources, external: file.externalData(named:))
      batch.append(page: place.page, row: place.row, key: statement.int64(0))
      each?(statement)
    } while try statement.step()
    return batch
  }

  /// Rows of an entity and of those below it, each in the layout of its own.
  private func readMixed(
    _ statement: Statement, _ each: ((Statement) -> Void)?
  ) throws -> [DefaultSnapshot] {
    var snapshots: [DefaultSnapshot] = []
    try copyMixedRows(statement) { member, page, row in
      snapshots.append(
        DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(scope: member.scope, key: statement.int64(0)),
          descriptor: member.descriptor, page: page, row: row))
      each?(statement)
    }
    return snapshots
  }

  /// Copies each row in the layout of the entity that it names.
  private func copyMixedRows(
    _ statement: Statement, _ body: (EntitySelection.Member, RowPage, UnsafeRawPointer) -> Void
  ) throws {
    var builders: [Int: RowBuilder] = [:]
    while try statement.step() {
      let number = Int(statement.int64(1))
      guard let member = selection.members[number] else { continue }
      let place = statement.copyRow(
        into: &builders[number, default: member.builder(expectedRows: 1)], member.sources,
        external: store.file.externalData(named:))
      body(member, place.page, place.row)
    }
  }
}
