extension SnapshotPort {
  /// Snapshots refer to related models by identifier, so there are no keys to resolve.
  func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier? { nil }

  func members(
    of owner: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> FetchedRows {
    try members(ofAll: [owner], slot: slot, descriptor: descriptor, editingState).rows
  }

  func members(
    ofAll owners: [PersistentIdentifier], slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> FetchedMembers {
    let lists = try memberIdentifiers(
      of: snapshots(for: owners, editingState), slot: slot, editingState)
    var wanted: [PersistentIdentifier] = []
    var known: Set<PersistentIdentifier> = []
    for owner in owners {
      for member in lists[owner] ?? [] where known.insert(member).inserted { wanted.append(member) }
    }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for snapshot in try snapshots(for: wanted, editingState) {
      found[snapshot.persistentIdentifier] = snapshot
    }
    if found.count < wanted.count {
      MissingMembersLog.note(
        wanted.filter { found[$0] == nil }, of: descriptor, slot, storeName: name)
    }
    var members: [DefaultSnapshot] = []
    let ranges = owners.map { owner in
      let start = members.count
      for member in lists[owner] ?? [] {
        if let snapshot = found[member] { members.append(snapshot) }
      }
      return start..<members.count
    }
    return FetchedMembers(rows: .snapshots(members), ranges: ranges)
  }

  /// The members of a to-many relationship by owner, from the owners' snapshots, or else from the
  /// inverse.
  func memberIdentifiers(
    of owners: [DefaultSnapshot], slot: Int, _ editingState: EditingState
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    var lists: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    var silent: [DefaultSnapshot] = []
    for owner in owners {
      if let members = owner.memberIdentifiers(slot) {
        lists[owner.persistentIdentifier] = members.withoutRepeats
      } else {
        silent.append(owner)
      }
    }
    guard let first = silent.first, let inverse = inverse(of: slot, first.descriptor) else {
      return lists
    }
    let wanted = Set(silent.map(\.persistentIdentifier))
    for member in try all(inverse.type, editingState) {
      for owner in member.relatedIdentifiers(inverse.slot).withoutRepeats
      where wanted.contains(owner) {
        lists[owner, default: []].append(member.persistentIdentifier)
      }
    }
    return lists
  }

  var leavesLinksToContext: Bool { !(store is any LinkClearing) }

  /// A predicate would not do: many stores can't follow relationships, and leave it to memory.
  func rows(
    of owner: _ModelDescriptor, leadingTo targets: Set<PersistentIdentifier>, through slots: [Int],
    _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    if let store = store as? any LinkClearing {
      return try store.rows(
        of: owner.entityName, leadingTo: targets,
        through: Set(slots.map { owner.properties[$0].name }))
    }
    func fetchAll<T: PersistentModel>(_ type: T.Type) throws -> [DefaultSnapshot] {
      try rows(
        of: DataStoreFetchRequest(descriptor: FetchDescriptor<T>(), editingState: editingState)
      ).rows.snapshots
    }
    return try fetchAll(owner.type).filter { row in
      slots.contains { row.relatedIdentifiers($0).contains(where: targets.contains) }
    }
  }

  private func inverse(
    of slot: Int, _ descriptor: _ModelDescriptor
  ) -> (type: any PersistentModel.Type, slot: Int)? {
    let property = descriptor.properties[slot]
    guard let entity = property.destination?._$descriptor.entityName,
      let type = schema.entitiesByName[entity]?.modelType,
      let name = schema.relationship(property.name, of: descriptor.entityName)?.inverseName,
      let slot = type._$descriptor.slot(named: name)
    else { return nil }
    return (type, slot)
  }
}

extension [PersistentIdentifier] {
  /// Each identifier once: a list in which a store has merged new models may have one several times.
  fileprivate var withoutRepeats: [PersistentIdentifier] {
    if count < 2 { return self }
    var known = Set<PersistentIdentifier>(minimumCapacity: count)
    return filter { known.insert($0).inserted }
  }
}
