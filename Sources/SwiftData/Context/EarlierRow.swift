/// What a stored row was linked to before a save made a new model an instance of it: as far as the save has
/// written these links, and the store tells. The undo of the insertion gives the row these links back.
///
/// It does not retain the related models: they are found by identifier. One that was deleted and restored since
/// has another one, and is in memory.
struct EarlierRow {
  struct Reference {
    let identifier: PersistentIdentifier
    private(set) weak var storage: _ModelStorage?
  }

  /// A pair of a list and a member.
  struct Member {
    let owner: Reference
    let slot: Int
    let member: Reference
  }

  /// To-one relationships, by slot.
  let toOnes: [Int: Reference?]
  /// The to-one relationships that the new model has set.
  let written: SlotSet
  /// What lists have gained by the save: members, or the model as a member.
  let gained: [Member]
  /// The members that the new model brought, and that lists of the row had before.
  let kept: [Member]

  /// Called before the model shows the row.
  /// - Parameters:
  ///   - newMembers: What lists have gained.
  ///   - link: What the schema declares for a slot of the model.
  ///   - known: Finds a model in memory.
  init(
    _ storage: _ModelStorage, _ links: SaveConsequences.EarlierLinks,
    _ newMembers: [SaveConsequences.NewMember], _ link: (Int) -> RelationshipLink?,
    _ known: (PersistentIdentifier) -> _ModelStorage?
  ) {
    func reference(_ identifier: PersistentIdentifier) -> Reference {
      Reference(identifier: identifier.resolved, storage: known(identifier.resolved))
    }
    toOnes = links.mapValues { $0.map(reference) }
    let row = storage.identifier
    gained = newMembers.map {
      Member(owner: reference($0.owner), slot: $0.slot, member: reference($0.member))
    }
    // By the slot of the model, or of the other model.
    var own: [Int: Set<PersistentIdentifier>] = [:]
    var others: [Int: Set<PersistentIdentifier>] = [:]
    for new in gained {
      if new.owner.identifier == row {
        own[new.slot, default: []].insert(new.member.identifier)
      } else {
        others[new.slot, default: []].insert(new.owner.identifier)
      }
    }
    let model = Reference(identifier: row, storage: storage)
    var (written, kept) = (SlotSet(), [Member]())
    for slot in storage.descriptor.relationshipSlots {
      switch storage.relationships.value(slot) {
      case .model, .identifier, .weakReferences: written.insert(slot)
      case .toMany(let value):
        // Members with a to-one relationship to the model have a record of it themselves.
        let inverse = link(slot)?.inverseSlot
        if let inverse, link(slot)?.destination.properties[inverse].isToOne == true { continue }
        for member in value.added {
          let member = member._$storage
          let isNew =
            own[slot]?.contains(member.identifier) == true
            || inverse.flatMap { others[$0] }?.contains(member.identifier) == true
          if isNew { continue }
          let reference = Reference(identifier: member.identifier, storage: member)
          kept.append(Member(owner: model, slot: slot, member: reference))
        }
      case .unset, .null: continue
      }
    }
    self.written = written
    self.kept = kept
  }
}

/// The new models that saves have merged with stored rows, as long as they are in memory.
struct MergedModels {
  private struct Entry {
    weak var storage: _ModelStorage?
    let earlier: EarlierRow?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// At this number, those that are no longer in memory are removed.
  private var sweepThreshold = 256

  mutating func insert(_ storage: _ModelStorage, _ earlier: EarlierRow?) {
    if entries.count >= sweepThreshold {
      entries = entries.filter { $0.value.storage != nil }
      sweepThreshold = max(256, 2 * entries.count)
    }
    entries[ObjectIdentifier(storage)] = Entry(storage: storage, earlier: earlier)
  }

  func contains(_ storage: _ModelStorage) -> Bool {
    entries[ObjectIdentifier(storage)]?.storage === storage
  }

  /// What the row was linked to before, if the store told it.
  func earlierRow(of storage: _ModelStorage) -> EarlierRow? {
    contains(storage) ? entries[ObjectIdentifier(storage)]?.earlier : nil
  }
}

/// The rows of inserted models whose insertion is undone, and that were stored before. Used by `UndoApplication`.
struct EarlierRows {
  /// The last inserted first.
  private let rows: [(storage: _ModelStorage, earlier: EarlierRow?)]
  private let indices: [ObjectIdentifier: Int]
  private let coordinator: any StoreCoordinator
  private let identities: IdentityRegistry
  private let context: ContextIdentity
  private let fixer: RelationshipFixer
  private let find: (PersistentIdentifier) -> (any PersistentModel)?

  /// - Parameter find: Finds the model of a row that exists.
  init(
    _ rows: [(storage: _ModelStorage, earlier: EarlierRow?)], _ coordinator: any StoreCoordinator,
    _ identities: IdentityRegistry, _ context: ContextIdentity, _ fixer: RelationshipFixer,
    _ find: @escaping (PersistentIdentifier) -> (any PersistentModel)?
  ) {
    self.rows = rows
    indices = Dictionary(
      rows.enumerated().map { (ObjectIdentifier($1.storage), $0) }, uniquingKeysWith: min)
    self.coordinator = coordinator
    self.identities = identities
    self.context = context
    self.fixer = fixer
    self.find = find
  }

  func contains(_ storage: _ModelStorage) -> Bool {
    !rows.isEmpty && indices[ObjectIdentifier(storage)] != nil
  }

  /// Gives the rows the links that they had before.
  func restoreLinks() {
    for (storage, earlier) in rows {
      guard let earlier else { continue }
      for slot in earlier.toOnes.keys.sorted() where earlier.written.contains(slot) {
        restoreToOne(storage, slot, earlier)
      }
      for pair in earlier.gained {
        guard let owner = model(pair.owner), let member = model(pair.member) else { continue }
        fixer.remove(member, from: owner._$storage, slot: pair.slot)
      }
      for pair in earlier.kept {
        guard let owner = model(pair.owner), let member = model(pair.member) else { continue }
        fixer.add(member, to: owner._$storage, slot: pair.slot)
      }
    }
  }

  /// Called for a list that had gained one of the models before a later event took it back, so that the save did not
  /// write its to-one relationship.
  func restoreUnwritten(_ storage: _ModelStorage, gainedBy slot: Int, of owner: _ModelStorage) {
    guard let index = indices[ObjectIdentifier(storage)], let earlier = rows[index].earlier,
      let inverse = owner.descriptor.link(slot, in: coordinator)?.inverseSlot,
      storage.descriptor.properties[inverse].isToOne, !earlier.written.contains(inverse)
    else { return }
    restoreToOne(storage, inverse, earlier)
  }

  /// Delete rules of models whose insertion is undone must not concern the rows.
  func unlink(from leaving: [_ModelStorage]) {
    if rows.isEmpty { return }
    let identifiers = Set(rows.map(\.storage.identifier))
    for storage in leaving {
      for slot in storage.descriptor.relationshipSlots {
        guard let rule = storage.descriptor.link(slot, in: coordinator)?.deleteRule,
          rule == .cascade || rule == .deny
        else { continue }
        for partner in storage.relationships.partners(slot)
        where identifiers.contains(partner._$storage.identifier) {
          if storage.descriptor.properties[slot].isToMany {
            fixer.remove(partner, from: storage, slot: slot)
          } else {
            storage.notifyingObservers(of: slot) {
              fixer.setToOne(storage, slot: slot, to: nil)
            }
          }
        }
      }
    }
  }

  /// A required relationship whose earlier model does not exist any more stays as it is.
  private func restoreToOne(_ storage: _ModelStorage, _ slot: Int, _ earlier: EarlierRow) {
    guard let reference = earlier.toOnes[slot] else { return }
    let partner = reference.flatMap(model)
    if partner == nil, !storage.descriptor.properties[slot].isOptional { return }
    // The first instance stands for the row; another one may have unsaved edits.
    for instance in identities.instances(of: storage.identifier) {
      let isFirst = instance.storage === first(of: storage)
      guard isFirst || instance.storage.changedSlots.contains(slot),
        instance.storage.relationships.partner(slot) !== partner
      else { continue }
      instance.storage.notifyingObservers(of: slot) {
        fixer.setToOne(instance.storage, slot: slot, to: partner)
      }
    }
  }

  /// The instance that the identifier leads to.
  private func first(of storage: _ModelStorage) -> _ModelStorage {
    identities.model(for: storage.identifier)?.storage ?? storage
  }

  private func model(_ reference: EarlierRow.Reference) -> (any PersistentModel)? {
    if let storage = reference.storage, !storage.hasLeftContext, context.owns(storage) {
      let first = first(of: storage)
      return first.flagsWithRow.contains(.hasNoRow) ? nil : first.persistentModel
    }
    return find(reference.identifier)
  }
}
