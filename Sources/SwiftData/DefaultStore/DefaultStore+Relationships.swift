import Foundation
import SQLSyntax
import SQLiteEngine

extension DefaultStore: RelationshipFetching {
  package func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    guard let key = identifier.rowKey, identifier.storeIdentifier == self.identifier,
      let entity = mapping.entity(named: identifier.entityName)
    else { return nil }
    let selection = plans.selection(of: entity)
    return try read { connection in
      let statement = try connection.prepare(selection.byKey)
      try statement.bind(key, at: 1)
      return try RowReading(store: self, selection: selection).readAll(statement, 1).snapshots.first
    }
  }

  package func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier? {
    let number = Int(key >> 48)
    if number > 0 {
      guard number < plans.scopes.count else { return nil }
      return PersistentIdentifier(scope: plans.scope(number: number), key: key & 0xFFFF_FFFF_FFFF)
    }
    guard let destination = descriptor.properties[slot].destination?._$descriptor.entityName,
      let entity = mapping.entity(named: destination)
    else { return nil }
    return PersistentIdentifier(scope: plans.scope(number: entity.number), key: key)
  }

  package func members(
    of identifier: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor
  ) throws -> [DefaultSnapshot] {
    guard let key = identifier.rowKey, let owner = mapping.entity(named: descriptor.entityName),
      case .toMany(let toMany) = owner.properties[slot].kind,
      let destination = mapping.entity(named: toMany.destination)
    else { return [] }
    let selection = plans.selection(of: destination)
    let sql = MembersQuery(toMany, destination: destination, columns: selection.columns).sql
    return try read { connection in
      let statement = try connection.prepare(sql)
      try statement.bind(key, at: 1)
      return try RowReading(store: self, selection: selection).readAll(statement, nil).snapshots
    }
  }
}
