import OpenSwiftDataRowStorage

/// The values of one model at one time, as passed between a context and a store.
///
/// A fetched snapshot is a view of a row in a page; nothing is copied. A snapshot of a changed
/// model has the changed cells in addition to the row.
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
  /// The identifier of the model; temporary until a store has saved the model.
  public let persistentIdentifier: PersistentIdentifier
  package let descriptor: _ModelDescriptor
  let page: RowPage?
  let row: UnsafeRawPointer?
  /// One value per cell of the layout; `.unset` if the row has the value, and for each to-many
  /// relationship. Read them through `value(_:)`: the forms that a snapshot has are immutable.
  let cells: ContiguousArray<_SlotValue>?
  /// The to-many relationships of which the model knows members or changes.
  let toManys: [ToManySnapshot]
  /// The slots that a save has to write.
  package let changedSlots: SlotSet
  /// Changed one-to-one relationships that were emptied because their model was set elsewhere or deleted: by
  /// slot, that model. Another writer may have given the row another one since.
  var displacedLinks: [Int: PersistentIdentifier]
  /// Attributes whose cells contain temporary identifiers; `nil` for none.
  let identifierValues: IdentifierValues?

  init(
    persistentIdentifier: PersistentIdentifier, descriptor: _ModelDescriptor, page: RowPage?,
    row: UnsafeRawPointer?, cells: ContiguousArray<_SlotValue>? = nil,
    toManys: [ToManySnapshot] = [], changedSlots: SlotSet = SlotSet(),
    displacedLinks: [Int: PersistentIdentifier] = [:], identifierValues: IdentifierValues? = nil
  ) {
    self.persistentIdentifier = persistentIdentifier
    self.descriptor = descriptor
    self.page = page
    self.row = row
    self.cells = cells
    self.toManys = toManys
    self.changedSlots = changedSlots
    self.displacedLinks = displacedLinks
    self.identifierValues = identifierValues
  }

  /// Creates a snapshot of the values of a model.
  /// - Parameters:
  ///   - backingData: The values.
  ///   - relatedBackingDatas: Not changed; related models are named by identifier.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    func storage<B: BackingData>(_ data: B) -> _ModelStorage {
      data._storage ?? data.copiedStorage()
    }
    self.init(lenient: storage(backingData))
  }

  /// The same values under another identifier.
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the copy.
  ///   - remappedIdentifiers: New identifiers of related models, by their old ones. Temporary identifiers in
  ///     attributes are replaced too.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    var copied = cells
    var copiedToManys = toManys
    var identifierValues = identifierValues
    if let map = remappedIdentifiers, !map.isEmpty {
      for slot in descriptor.relationshipSlots {
        guard case .identifier(let identifier) = copied?[slot], let other = map[identifier] else {
          continue
        }
        copied?[slot] = .identifier(other)
      }
      copiedToManys = toManys.map { $0.remapped(map) }
      let new = NewIdentifiers { map[$0] }
      identifierValues = put(new, into: &copied)
    }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: copied, toManys: copiedToManys, changedSlots: changedSlots,
      displacedLinks: displacedLinks, identifierValues: identifierValues)
  }
}

/// What a save needs to know about a to-many relationship.
package struct ToManySnapshot: Sendable {
  package let slot: Int
  /// All members, if the context knows them.
  package let members: [PersistentIdentifier]?
  package let added: [PersistentIdentifier]
  package let removed: [PersistentIdentifier]

  func remapped(_ map: [PersistentIdentifier: PersistentIdentifier]) -> ToManySnapshot {
    ToManySnapshot(
      slot: slot, members: members?.map { map[$0] ?? $0 }, added: added.map { map[$0] ?? $0 },
      removed: removed.map { map[$0] ?? $0 })
  }
}

// MARK: Copies

extension DefaultSnapshot {
  /// The same values, with the name of a value in place of the value that is stored outside the
  /// row.
  func naming(_ name: String, for cell: Int) -> DefaultSnapshot {
    setting([cell], to: _SlotValue.boxing(StoredReference(name: name)))
  }

  /// A copy with some values removed.
  func emptying(_ cells: [Int]) -> DefaultSnapshot { setting(cells, to: .null) }

  private func setting(_ changed: [Int], to value: _SlotValue) -> DefaultSnapshot {
    var cells =
      cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    for cell in changed { cells[cell] = value }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys, changedSlots: changedSlots, displacedLinks: displacedLinks,
      identifierValues: identifierValues)
  }

  /// The same values without changes, if it is not known which values differ from the row.
  package var unchanged: DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells)
  }
}

// MARK: Relationships

extension DefaultSnapshot {
  /// The known members and changes of a to-many relationship.
  func toMany(_ slot: Int) -> ToManySnapshot? { toManys.first { $0.slot == slot } }

  /// The members of a to-many relationship, if the snapshot contains all of them.
  func memberIdentifiers(_ slot: Int) -> [PersistentIdentifier]? {
    toMany(slot)?.members
  }

  /// The related models of a to-one or to-many relationship.
  func relatedIdentifiers(_ slot: Int) -> [PersistentIdentifier] {
    if let members = memberIdentifiers(slot) { return members }
    guard case .identifier(let identifier)? = changedValue(slot) else { return [] }
    return [identifier]
  }

  /// The to-many relationships whose members are not all in the snapshot.
  var unknownToManySlots: [Int] {
    descriptor.relationshipSlots.filter {
      descriptor.properties[$0].isToMany && memberIdentifiers($0) == nil
    }
  }

  /// Completes a to-many relationship with the members in the store.
  mutating func fillMembers(of slot: Int, stored: [PersistentIdentifier]) {
    let change = toMany(slot)
    let (added, removed) = (change?.added ?? [], change?.removed ?? [])
    let lost = Set(removed)
    let kept = stored.filter { !lost.contains($0) }
    let known = Set(kept)
    let members = kept + added.filter { !known.contains($0) }
    let filled = ToManySnapshot(slot: slot, members: members, added: added, removed: removed)
    self = DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys.filter { $0.slot != slot } + [filled],
      changedSlots: changedSlots, displacedLinks: displacedLinks,
      identifierValues: identifierValues)
  }
}

// MARK: Slots

extension DefaultSnapshot {
  /// The slots that an upsert writes: all attributes, and the to-one relationships that were set.
  var upsertSlots: SlotSet {
    var slots = setReferences
    for (slot, property) in descriptor.properties.enumerated() where property.destination == nil {
      slots.insert(slot)
    }
    return slots
  }

  /// The to-one relationships that are not nil.
  var setReferences: SlotSet {
    var slots = SlotSet()
    for (slot, property) in descriptor.properties.enumerated() where property.isToOne {
      if case .identifier? = changedValue(slot) { slots.insert(slot) }
    }
    return slots
  }
}
