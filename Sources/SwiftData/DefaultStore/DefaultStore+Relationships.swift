import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

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
    let packed = PackedKey(word: key)
    let number = Int(packed.entity)
    if number > 0 {
      guard number < plans.scopes.count else { return nil }
      return PersistentIdentifier(scope: plans.scope(number: number), key: packed.key)
    }
    guard let destination = descriptor.properties[slot].destination?._$descriptor.entityName,
      let entity = mapping.entity(named: destination)
    else { return nil }
    return PersistentIdentifier(scope: plans.scope(number: entity.number), key: key)
  }

  package func members(
    of identifier: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor
  ) throws -> [DefaultSnapshot] {
    guard let key = identifier.rowKey, let plan = membersPlan(slot, descriptor) else { return [] }
    return try read { connection in
      let statement = try connection.prepare(plan.query.ofOne)
      try statement.bind(key, at: 1)
      return try RowReading(store: self, selection: plan.selection).readAll(statement, nil)
        .snapshots
    }
  }

  package func members(
    ofAll owners: [Int64], slot: Int, descriptor: _ModelDescriptor
  ) throws -> [Int64: [DefaultSnapshot]] {
    guard !owners.isEmpty, let plan = membersPlan(slot, descriptor) else { return [:] }
    let list = "[" + owners.map(String.init).joined(separator: ",") + "]"
    return try read { connection in
      let statement = try connection.prepare(plan.query.ofMany)
      try statement.bind(list, at: 1)
      var keys: [Int64] = []
      let last = statement.columnCount - 1
      let rows = try RowReading(store: self, selection: plan.selection).readAll(statement, nil) {
        keys.append($0.int64(last))
      }
      return Dictionary(grouping: zip(keys, rows.snapshots), by: \.0).mapValues { $0.map(\.1) }
    }
  }

  private func membersPlan(
    _ slot: Int, _ descriptor: _ModelDescriptor
  ) -> (query: MembersQuery, selection: EntitySelection)? {
    guard let owner = mapping.entity(named: descriptor.entityName),
      case .toMany(let toMany) = owner.properties[slot].kind,
      let destination = mapping.entity(named: toMany.destination)
    else { return nil }
    let selection = plans.selection(of: destination)
    let query = plans.members(of: owner, slot: slot) {
      MembersQuery(toMany, destination: destination, columns: selection.columns, in: plans.dialect)
    }
    return (query, selection)
  }
}
