import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// Reads single rows and the members of relationships by key.
extension RelationalStore {
  package func snapshot(
    for identifier: PersistentIdentifier, _ editingState: EditingState
  ) throws -> DefaultSnapshot? {
    guard let (key, entity) = row(of: identifier) else { return nil }
    let selection = plans.selection(of: entity)
    return try driver.read(for: editingState.owner) { session in
      try session.statement(selection.byKey).row(key, reading(selection, limit: 1))
    }
  }

  private func row(of identifier: PersistentIdentifier) -> (key: Int64, entity: EntityMapping)? {
    let scope = identifier.id.scope
    if plans.owns(scope) {
      return mapping.entity(number: scope.entityNumber).map { (identifier.id.key, $0) }
    }
    guard let key = key(of: identifier), let entity = mapping.entity(named: identifier.entityName)
    else { return nil }
    return (key, entity)
  }

  /// The identifier of the row that a to-one cell refers to.
  package func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier? {
    let packed = PackedKey(word: key)
    let number = Int(packed.entity)
    if number > 0 {
      guard mapping.entity(number: number) != nil else { return nil }
      return PersistentIdentifier(scope: plans.scope(number: number), key: packed.key)
    }
    guard let destination = descriptor.properties[slot].destination?._$descriptor.entityName,
      let entity = mapping.entity(named: destination)
    else { return nil }
    return PersistentIdentifier(scope: plans.scope(number: entity.number), key: key)
  }

  package func members(
    of owner: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> FetchedRows {
    guard let key = key(of: owner), let plan = membersPlan(slot, descriptor) else {
      return .snapshots([])
    }
    return try driver.read(for: editingState.owner) { session in
      try session.statement(plan.query.ofOne)
        .rows(.integer(key), reading(plan.selection)).rows.seen(in: session.state)
    }
  }

  package func members(
    ofAll owners: [PersistentIdentifier], slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> FetchedMembers {
    let keys = owners.map(key(of:))
    let read = try membersRead(keys, slot, descriptor).map { read in
      try driver.read(for: editingState.owner) { session in
        try session.statement(read.sql).rows(read.parameters, read.reading).seen(in: session.state)
      }
    }
    return RelationalStore.members(of: keys, in: read)
  }

  package var readsRelatedModelsTogether: Bool { driver.capabilities.isRemote }

  package func related(
    _ requests: [RelatedModels], _ editingState: EditingState
  ) throws -> [FetchedMembers] {
    let reads = requests.map { request in
      switch request {
      case .partners(let identifiers, let descriptor):
        rowsRead(
          of: descriptor, withKeys: identifiers.compactMap { key(of: $0.resolved) }, slots: nil)
      case .members(let owners, let slot, let descriptor):
        membersRead(owners.map(key(of:)), slot, descriptor)
      }
    }
    var answers = try driver.read(for: editingState.owner) { session in
      try session.rows(of: reads.compactMap(\.self)).map { $0.seen(in: session.state) }
    }[...]
    return zip(requests, reads).map { request, read in
      let rows = read == nil ? nil : answers.removeFirst()
      switch request {
      case .partners:
        return FetchedMembers(rows: rows?.rows ?? .snapshots([]), ranges: [])
      case .members(let owners, _, _):
        return RelationalStore.members(of: owners.map(key(of:)), in: rows)
      }
    }
  }

  /// Reads the rows that relationships of a query's rows lead to.
  func relatedReads(_ query: RowQuery, _ slots: [Int]) -> [(slot: Int, read: SQLRead)] {
    slots.compactMap { slot in
      switch query.entity.properties[slot].kind {
      case .toOne(let toOne): partnersRead(toOne, slot, query).map { (slot, $0) }
      case .toMany(let toMany): membersRead(toMany, slot, query).map { (slot, $0) }
      default: nil
      }
    }
  }

  private func partnersRead(_ toOne: ToOneMapping, _ slot: Int, _ query: RowQuery) -> SQLRead? {
    guard let destination = mapping.entity(named: toOne.destination) else { return nil }
    let selection = plans.selection(of: destination)
    let sql = query.text(.related(slot)) { rows in
      let keys = rows([.column(table: CompiledFetch.Shape.rootAlias, name: toOne.key.name)])
      return Select(
        selection.columns, from: TableReference(destination.table, as: RowSelection.alias),
        where: .inSelect(RowColumns.key(of: RowSelection.alias), keys))
    }
    return SQLRead(sql: sql, parameters: query.parameters, reading: reading(selection))
  }

  private func membersRead(_ toMany: ToManyMapping, _ slot: Int, _ query: RowQuery) -> SQLRead? {
    guard let destination = mapping.entity(named: toMany.destination) else { return nil }
    let selection = plans.selection(of: destination)
    var reading = reading(selection)
    reading.hasOwners = true
    let sql = query.text(.related(slot)) { rows in
      MembersQuery.select(
        toMany, destination: destination, columns: selection.columns,
        ofOwnersIn: rows([RowColumns.key(of: CompiledFetch.Shape.rootAlias)]))
    }
    return SQLRead(sql: sql, parameters: query.parameters, reading: reading)
  }

  /// - Parameter answers: What `relatedReads` have read, by slot.
  func readAhead(_ answers: [Int: ReadRows]) -> ReadAhead? {
    if answers.isEmpty { return nil }
    return ReadAhead { request, slot in
      guard let rows = answers[slot] else { return nil }
      switch request {
      case .partners: return FetchedMembers(rows: rows.rows, ranges: [])
      case .members(let owners, _, _):
        return RelationalStore.members(of: owners.map(self.key(of:)), in: rows)
      }
    }
  }

  /// Reads the members of several owners; `nil` if there are none to read.
  private func membersRead(
    _ keys: [Int64?], _ slot: Int, _ descriptor: _ModelDescriptor
  ) -> SQLRead? {
    guard !keys.isEmpty, let plan = membersPlan(slot, descriptor) else { return nil }
    var reading = reading(plan.selection)
    reading.hasOwners = true
    if keys.count == 1, let key = keys[0] {
      return SQLRead(sql: plan.query.ofOnlyOwner, parameters: .integer(key), reading: reading)
    }
    if let range = RelationalStore.range(of: keys) {
      return SQLRead(
        sql: plan.query.ofRange, parameters: .pair(range.first, range.second), reading: reading)
    }
    let list = driver.dialect.list(keys.compactMap { $0 })
    return SQLRead(sql: plan.query.ofMany, parameters: .list(list), reading: reading)
  }

  private static func members(of keys: [Int64?], in read: ReadRows?) -> FetchedMembers {
    guard let read else {
      return FetchedMembers(
        rows: .snapshots([]), ranges: Array(repeating: 0..<0, count: keys.count))
    }
    return FetchedMembers(rows: read.rows, ranges: ranges(of: keys, in: read.owners))
  }

  /// The range of several keys, if each is the next one after the key before it. SQL visits a range
  /// faster than a list.
  private static func range(of keys: [Int64?]) -> KeyPair? {
    guard keys.count > 1, let first = keys[0], let last = keys[keys.count - 1],
      first < last, last &- first == Int64(keys.count - 1),
      zip(first...last, keys).allSatisfy({ $0 == $1 })
    else { return nil }
    return KeyPair(first: first, second: last)
  }

  /// The positions of each key in a list of owners in ascending order.
  private static func ranges(of keys: [Int64?], in owners: [Int64]) -> [Range<Int>] {
    var next = 0
    var last = Int64.min
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(keys.count)
    for key in keys {
      // The owners have the order of SQL. Without that of the keys, they are looked up.
      guard let key, key > last else { return lookedUpRanges(of: keys, in: owners) }
      last = key
      while next < owners.count, owners[next] < key { next += 1 }
      let start = next
      while next < owners.count, owners[next] == key { next += 1 }
      ranges.append(start..<next)
    }
    return ranges
  }

  private static func lookedUpRanges(of keys: [Int64?], in owners: [Int64]) -> [Range<Int>] {
    let rangesByKey = runs(owners)
    return keys.map { key in key.flatMap { rangesByKey[$0] } ?? 0..<0 }
  }

  /// The positions of each owner in a list in which equal owners are adjacent.
  private static func runs(_ owners: [Int64]) -> [Int64: Range<Int>] {
    var runs: [Int64: Range<Int>] = [:]
    var start = 0
    while start < owners.count {
      var end = start + 1
      while end < owners.count, owners[end] == owners[start] { end += 1 }
      runs[owners[start]] = start..<end
      start = end
    }
    return runs
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
      MembersQuery(
        toMany, destination: destination, columns: selection.columns, in: plans.dialect)
    }
    return (query, selection)
  }
}
