/// What a stored row was linked to before a save made a new model an instance of it: as far as the save has
/// written these links, and the store tells. The undo of the insertion gives the row these links back.
///
/// It does not retain the related models: they are found by identifier. One that was deleted and restored since
/// has another one, and is in memory.
struct EarlierRow {
  struct Reference {
    let identifier: PersistentIdentifier
    private(set) weak var storage: _ModelStorage?

    init(identifier: PersistentIdentifier, storage: _ModelStorage?) {
      (self.identifier, self.storage) = (identifier, storage)
    }

    init(_ model: any PersistentModel) {
      self.init(identifier: model._$storage.identifier, storage: model._$storage)
    }

    /// The identifier that the row has now, if its model is in memory.
    var current: PersistentIdentifier { storage?.identifier ?? identifier }

    func leads(to model: _ModelStorage) -> Bool {
      storage === model || current == model.identifier
    }
  }

  /// A pair of a list and a member.
  struct Member {
    let owner: Reference
    let slot: Int
    let member: Reference
  }

  /// To-one relationships, by slot.
  let toOnes: [Int: Reference?]
  /// The to-one relationships that the new model has set, and where they led then, or after a later undo. Another
  /// writer may have changed them since.
  private(set) var written: [Int: Reference?]
  /// What lists have gained by the save: members, or the model as a member.
  let gained: [Member]
  /// What the new model brought, and lists had before: members, or the model as a member.
  let kept: [Member]

  /// Called before the model shows the row.
  /// - Parameters:
  ///   - newMembers: What lists have gained; `nil` if the store does not tell.
  ///   - gains: Lists without an inverse that may have gained the model.
  ///   - link: What the schema declares for a slot of the model.
  ///   - known: Finds a model in memory.
  init(
    _ storage: _ModelStorage, _ links: SaveConsequences.EarlierLinks,
    _ newMembers: [SaveConsequences.NewMember]?, _ gains: [MemberGain],
    _ link: (Int) -> RelationshipLink?, _ known: (PersistentIdentifier) -> _ModelStorage?
  ) {
    func reference(_ identifier: PersistentIdentifier) -> Reference {
      Reference(identifier: identifier.resolved, storage: known(identifier.resolved))
    }
    toOnes = links.mapValues { $0.map(reference) }
    let row = storage.identifier
    gained = (newMembers ?? []).map {
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
    var (written, kept) = ([Int: Reference?](), [Member]())
    for slot in storage.descriptor.relationshipSlots {
      switch storage.relationships.value(slot) {
      case .model(let partner): written[slot] = .some(Reference(partner))
      case .identifier(let identifier): written[slot] = .some(reference(identifier))
      case .weakReferences:
        written[slot] = .some(storage.relationships.partner(slot).map { Reference($0) })
      case .toMany(let value):
        if newMembers == nil { continue }
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
    if newMembers != nil, let new = storage.persistentModel {
      for gain in gains {
        let owner = gain.owner.identifier
        guard case .toMany(let value) = gain.owner.overlaid(gain.slot), value.hasAdded(new),
          others[gain.slot]?.contains(owner) != true
        else { continue }
        let reference = Reference(identifier: owner, storage: gain.owner)
        kept.append(Member(owner: reference, slot: gain.slot, member: model))
      }
    }
    self.written = written
    self.kept = kept
  }

  /// Notes where an undo has set a to-one relationship.
  fileprivate mutating func noteUndo(_ slot: Int, to partner: (any PersistentModel)?) {
    written[slot] = .some(partner.map { Reference($0) })
  }
}

/// The new models that saves have merged with stored rows, as long as they are in memory.
struct MergedModels {
  private struct Entry {
    weak var storage: _ModelStorage?
    var earlier: EarlierRow?
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
    !entries.isEmpty && entries[ObjectIdentifier(storage)]?.storage === storage
  }

  /// Called after an undo has set a to-one relationship of a merged model.
  mutating func noteUndo(
    of storage: _ModelStorage, _ slot: Int, to partner: (any PersistentModel)?
  ) {
    entries[ObjectIdentifier(storage)]?.earlier?.noteUndo(slot, to: partner)
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
  private let models: Set<ObjectIdentifier>
  /// The pairs that the save has gained, or that lists had before.
  private let pairs: Set<Pair>
  private let coordinator: any StoreCoordinator
  private let identities: IdentityRegistry
  private let context: ContextIdentity
  private let fixer: RelationshipFixer
  private let find: (PersistentIdentifier) -> (any PersistentModel)?

  private struct Pair: Hashable {
    let owner: PersistentIdentifier
    let slot: Int
    let member: PersistentIdentifier
  }

  /// - Parameter find: Finds the model of a row that exists.
  init(
    _ rows: [(storage: _ModelStorage, earlier: EarlierRow?)], _ coordinator: any StoreCoordinator,
    _ identities: IdentityRegistry, _ context: ContextIdentity, _ fixer: RelationshipFixer,
    _ find: @escaping (PersistentIdentifier) -> (any PersistentModel)?
  ) {
    self.rows = rows
    models = Set(rows.map { ObjectIdentifier($0.storage) })
    let known = rows.lazy.compactMap(\.earlier).flatMap { [$0.gained, $0.kept].joined() }
    pairs = Set(
      known.map { Pair(owner: $0.owner.current, slot: $0.slot, member: $0.member.current) })
    self.coordinator = coordinator
    self.identities = identities
    self.context = context
    self.fixer = fixer
    self.find = find
  }

  /// Gives the rows the links that they had before.
  func restoreLinks() {
    for (storage, earlier) in rows {
      guard let earlier else { continue }
      for slot in earlier.toOnes.keys.sorted() { restoreToOne(storage, slot, earlier) }
      for pair in earlier.gained {
        guard let owner = model(pair.owner), let member = model(pair.member) else { continue }
        fixer.remove(member, from: owner._$storage, slot: pair.slot)
      }
    }
  }

  /// Whether a list that gained a model in the event keeps it, as far as `restoreLinks` has not removed it: it had
  /// the row before, or that is not known.
  func keeps(_ model: any PersistentModel, in owner: _ModelStorage, _ slot: Int) -> Bool {
    let member = model._$storage
    guard !rows.isEmpty, models.contains(ObjectIdentifier(member)) else { return false }
    let inverse = owner.descriptor.link(slot, in: coordinator)?.inverseSlot
    if let inverse, member.descriptor.properties[inverse].isToOne { return true }
    let (list, row) = (owner.identifier, member.identifier)
    if pairs.contains(Pair(owner: list, slot: slot, member: row)) { return true }
    if let inverse, pairs.contains(Pair(owner: row, slot: inverse, member: list)) { return true }
    // The save did not write the pair, or the store does not tell. Another instance may be the one from before.
    let value = owner.relationships.loadedToMany(slot)
    return !value.hasAdded(model)
      && identities.otherInstances(of: member).contains { other in
        other.storage.persistentModel.map { value.holds($0) } ?? false
      }
  }

  /// Delete rules of models whose insertion is undone must not concern the rows, and neither models that were
  /// there before. Where there is an inverse, the step itself takes these back. If the deletion of a stored model
  /// is redone, its rules concern all.
  func unlink(from leaving: [EarlierModelState]) {
    let identifiers = Set(rows.map(\.storage.identifier))
    let leavingModels = Set(leaving.map { ObjectIdentifier($0.storage) })
    for before in leaving {
      let storage = before.storage
      for slot in storage.descriptor.relationshipSlots {
        guard let link = storage.descriptor.link(slot, in: coordinator),
          link.deleteRule == .cascade || link.deleteRule == .deny
        else { continue }
        for partner in storage.relationships.partners(slot)
        where identifiers.contains(partner._$storage.identifier)
          || link.inverseSlot == nil && !before.wasStored
            && !leavingModels.contains(ObjectIdentifier(partner._$storage))
        {
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

  /// A relationship that leads elsewhere now was changed by others, and stays as it is; also a required one whose
  /// earlier model does not exist any more.
  private func restoreToOne(_ storage: _ModelStorage, _ slot: Int, _ earlier: EarlierRow) {
    guard let reference = earlier.toOnes[slot], let written = earlier.written[slot] else { return }
    let partner = reference.flatMap(model)
    if partner == nil, !storage.descriptor.properties[slot].isOptional { return }
    // The first instance stands for the row; another one may have unsaved edits.
    for instance in identities.instances(of: storage.identifier) {
      let isFirst = instance.storage === first(of: storage)
      guard isFirst || instance.storage.changedSlots.contains(slot) else { continue }
      let current = instance.storage.relationships.partner(slot)
      let isUnmoved =
        current.map { written?.leads(to: $0._$storage) ?? false } ?? (written == nil)
      guard isUnmoved, current !== partner else { continue }
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
