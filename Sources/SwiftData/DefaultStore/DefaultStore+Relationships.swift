import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

extension DefaultStore {
  package func snapshot(
    for identifier: PersistentIdentifier, _ editingState: EditingState
  ) throws -> DefaultSnapshot? {
    guard let key = key(of: identifier), let entity = mapping.entity(named: identifier.entityName)
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
      guard mapping.entity(number: number) != nil else { return nil }
      return PersistentIdentifier(scope: plans.scope(number: number), key: key & 0xFFFF_FFFF_FFFF)
    }
    guard let destination = descriptor.properties[slot].destination?._$descriptor.entityName,
      let entity = mapping.entity(named: destination)
    else { return nil }
    return PersistentIdentifier(scope: plans.scope(number: entity.number), key: key)
  }

  package func members(
    of owner: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    guard let key = key(of: owner), let plan = membersPlan(slot, descriptor) else { return [] }
    return try read { connection in
      let statement = try connection.prepare(plan.query.ofOne)
      try statement.bind(key, at: 1)
      return try RowReading(store: self, selection: plan.selection).readAll(statement, nil)
        .snapshots
    }
  }

  package func members(
    ofAll owners: [PersistentIdentifier], slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> [PersistentIdentifier: [DefaultSnapshot]] {
    guard !owners.isEmpty, let plan = membersPlan(slot, descriptor) else { return [:] }
    var byKey: [Int64: PersistentIdentifier] = [:]
    for owner in owners {
      if let key = key(of: owner) { byKey[key] = owner }
    }
    let list = "[" + owners.compactMap(key).map(String.init).joined(separator: ",") + "]"
    return try read { connection in
      let statement = try connection.prepare(plan.query.ofMany)
      try statement.bind(list, at: 1)
      var found: [PersistentIdentifier?] = []
      let last = statement.columnCount - 1
      let rows = try RowReading(store: self, selection: plan.selection).readAll(statement, nil) {
        found.append(byKey[$0.int64(last)])
      }
      var members: [PersistentIdentifier: [DefaultSnapshot]] = [:]
      for (owner, snapshot) in zip(found, rows.snapshots) {
        if let owner { members[owner, default: []].append(snapshot) }
      }
      return members
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
      MembersQuery(toMany, destination: destination, columns: selection.columns)
    }
    return (query, selection)
  }
}
