import Foundation
import RowStorage
import SQLiteEngine

/// Steps a statement and makes a snapshot over each row.
struct RowReading {
  let store: DefaultStore
  let selection: EntitySelection

  func readAll(_ statement: Statement, _ limit: Int?) throws -> [DefaultSnapshot] {
    var snapshots: [DefaultSnapshot] = []
    if let limit, limit < 10_000 { snapshots.reserveCapacity(limit) }
    let file = store.file
    func external(_ name: String) -> [UInt8]? { file.externalData(named: name) }
    guard selection.hasEntityNumber else {
      let member = selection.onlyMember
      var builder: RowBuilder?
      while try statement.step() {
        if builder == nil {
          builder = RowBuilder(layout: member.descriptor.layout, expectedRows: limit ?? 64)
        }
        let place = statement.copyRow(into: &builder!, member.sources, external: external)
        snapshots.append(
          DefaultSnapshot(
            persistentIdentifier: PersistentIdentifier(
              scope: member.scope, key: statement.int64(0)),
            descriptor: member.descriptor, page: place.page, row: place.row))
      }
      return snapshots
    }
    var builders: [Int: RowBuilder] = [:]
    while try statement.step() {
      let number = Int(statement.int64(1))
      guard let member = selection.members[number] else { continue }
      let place = statement.copyRow(
        into: &builders[number, default: RowBuilder(layout: member.descriptor.layout)],
        member.sources, external: external)
      snapshots.append(
        DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(scope: member.scope, key: statement.int64(0)),
          descriptor: member.descriptor, page: place.page, row: place.row))
    }
    return snapshots
  }
}
