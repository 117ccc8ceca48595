/// Finds what the deletion of models does to others, before the store sees anything.
///
/// Works through a queue of deleted models: cascade appends to it, nullify clears the other side,
/// deny stops the save. What it changed in memory is undone when the save fails.
struct DeleteRules {
  let core: ContextCore
  private var undoings: [() -> Void] = []

  init(core: ContextCore) { self.core = core }

  mutating func apply() throws {
    var queue = Array(core.changes.deleted)
    var next = 0
    var denials: [(storage: _ModelStorage, slot: Int)] = []
    while next < queue.count {
      let storage = queue[next]
      next += 1
      for slot in storage.descriptor.relationshipSlots {
        guard let link = storage.descriptor.link(slot, in: core.coordinator) else { continue }
        switch link.deleteRule {
        case .noAction: continue
        case .nullify: nullify(storage, slot, link)
        case .deny:
          if storage.flags.contains(.isDeleted) { denials.append((storage, slot)) }
        case .cascade:
          for partner in storage.partners(slot) {
            let partner = partner._$storage
            guard partner.source === core, !partner.flags.contains(.isDeleted) else { continue }
            cascade(partner)
            queue.append(partner)
          }
        }
      }
    }
    for denial in denials { try check(denial.storage, denial.slot) }
  }

  /// Takes back what `apply` did in memory.
  mutating func undo() {
    for undoing in undoings.reversed() { undoing() }
    undoings = []
  }

  private mutating func cascade(_ storage: _ModelStorage) {
    let core = core
    let wasNew = storage.flags.contains(.isInserted)
    let wasChanged = storage.flags.contains(.isChanged)
    let slots = storage.changedSlots
    let model = storage.model
    core.deleteAlone(storage)
    undoings.append {
      if wasNew {
        core.insert(storage)
      } else {
        core.changes.insert(storage)
        storage.changedSlots = slots
        if wasChanged { core.changes.change(storage) }
      }
      withExtendedLifetime(model) {}
    }
  }

  private mutating func nullify(_ storage: _ModelStorage, _ slot: Int, _ link: RelationshipLink) {
    guard let inverse = link.inverseSlot else { return }
    for partner in storage.partners(slot) {
      let partner = partner._$storage
      guard partner.source === core, !partner.flags.contains(.isDeleted) else { continue }
      let old = partner.overlaid(inverse)
      let slots = partner.changedSlots
      let wasClean = partner.flags.isDisjoint(with: [.isChanged, .isInserted])
      let core = core
      if partner.descriptor.properties[inverse].isToMany {
        // The store removes the rows of a join table itself; in memory the list is read anew.
        if case .object(let object) = old, let value = object as? ToManyValue {
          let members = value.members
          let added = value.added
          let model = storage.model
          value.members?.removeAll { $0 === model }
          value.added.removeAll { $0 === model }
          undoings.append {
            value.members = members
            value.added = added
          }
        }
        continue
      }
      partner.notifyingObservers(of: inverse) {
        core._willChange(partner, slot: inverse)
        partner.overlay(.null, at: inverse)
      }
      undoings.append {
        partner.notifyingObservers(of: inverse) { partner.overlay(old, at: inverse) }
        partner.changedSlots = slots
        if wasClean { core.changes.unchange(partner) }
      }
    }
  }

  private func check(_ storage: _ModelStorage, _ slot: Int) throws {
    let blocking = storage.partners(slot).filter { !$0._$storage.flags.contains(.isDeleted) }
    guard let first = blocking.first else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "The delete rule .deny keeps \(storage.identifier) from being deleted: it still has "
        + "\(blocking.count) in this relationship, \(first.persistentModelID) among them. Delete "
        + "or move them first.", entity: storage.descriptor.entityName,
      property: storage.descriptor.properties[slot].name)
  }
}
