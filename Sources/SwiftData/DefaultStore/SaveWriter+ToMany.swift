import Foundation
import RowStorage
import SQLiteEngine

/// The pairs of to-many relationships.
extension SaveWriter {
  mutating func writeToMany(_ snapshot: DefaultSnapshot) throws {
    guard snapshot.cells != nil else { return }
    let save = try plan(of: snapshot)
    for toMany in save.toMany where snapshot.changedSlots.contains(toMany.slot) {
      guard case .object(let object) = snapshot.cells?[toMany.slot],
        let change = object as? ToManySnapshot, let owner = key(of: snapshot.persistentIdentifier)
      else { continue }
      try run(toMany.unlink, owner, change.removed)
      try run(toMany.link, owner, change.added)
    }
  }

  mutating func run(
    _ sql: String, _ owner: Int64, _ members: [PersistentIdentifier]
  ) throws {
    for member in members {
      guard let memberKey = key(of: member) else { continue }
      let statement = try prepared(sql)
      try statement.bind(owner, at: 1)
      try statement.bind(memberKey, at: 2)
      try statement.run()
    }
  }

  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? keysByScope[ObjectIdentifier(identifier.id.scope)]?.key
      ?? identifier.resolved.rowKey
  }

  func destination(of identifier: PersistentIdentifier) -> (key: Int64, entity: Int)? {
    if let new = keysByScope[ObjectIdentifier(identifier.id.scope)] { return new }
    let permanent = identifier.resolved
    guard let key = permanent.rowKey,
      let entity = store.mapping.entity(named: permanent.entityName)
    else { return nil }
    return (key, entity.number)
  }
}
