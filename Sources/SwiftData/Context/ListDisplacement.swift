/// A member that a list without an inverse gained. `ChangeTracker` notes it.
struct MemberGain {
  let owner: _ModelStorage
  let slot: Int
  let member: _ModelStorage

  /// The class that declares the list.
  fileprivate var declaring: _ModelDescriptor { owner.descriptor.declaring(slot) }

  /// Whether it is the gain for which a save took a member from a list.
  /// - Parameter loser: The class of the list's owner.
  func causes(_ taking: SaveConsequences.Taking, from loser: _ModelDescriptor) -> Bool {
    concerns(taking) && owner.identifier != taking.link.identifier
      && declaring === loser.declaring(slot)
  }

  /// Whether it is the gain of what a save took.
  func isLost(by taking: SaveConsequences.Taking) -> Bool {
    concerns(taking) && owner.identifier == taking.link.identifier
  }

  private func concerns(_ taking: SaveConsequences.Taking) -> Bool {
    slot == taking.link.slot && member.identifier.rowKey == taking.member
  }

  fileprivate var isOfDeletedOwner: Bool { owner.flags.contains(.isDeleted) }

  /// Whether the owner still has the member, and is in the unit of work.
  fileprivate var isHeld: Bool {
    guard owner.source != nil, !owner.flags.contains(.hasNoRow),
      let model = member.persistentModel,
      case .toMany(let value) = owner.overlaid(slot).relationship
    else { return false }
    return value.holds(model)
  }
}

/// Leaves each member of a list without an inverse to one owner, in memory, before the store writes: for
/// stores that keep the owner's key in the member's row. Called by `SavePreparation`.
///
/// A member that several owners gained stays with the one that gained it last. One that is deleted does not
/// count, unless its rule concerns the member too. The store itself takes a member from an owner that has it
/// stored (`PairWriter`). The changes in memory are undone if the save fails.
struct ListDisplacement {
  private let stores: ContextStores
  private let changes: ChangeTracker
  private let fixer: RelationshipFixer
  private var undoings: [RelationshipFixer.Undoing] = []
  private var lost: [MemberGain] = []

  init(_ stores: ContextStores, _ changes: ChangeTracker, _ fixer: RelationshipFixer) {
    self.stores = stores
    self.changes = changes
    self.fixer = fixer
  }

  mutating func apply() {
    (undoings, lost) = ([], [])
    guard changes.gainsWithoutInverse.count > 1 else { return }
    var keepers: [List: _ModelStorage] = [:]
    let gains = changes.gainsWithoutInverse.filter { gain in
      gain.isHeld && stores.port(of: gain.owner)?.isTransactional == true
    }
    for gain in gains where !gain.isOfDeletedOwner { keepers[List(gain)] = gain.owner }
    for gain in gains where gain.isHeld {
      guard let keeper = keepers[List(gain)], keeper !== gain.owner,
        let link = gain.owner.descriptor.link(gain.slot, in: stores.coordinator)
      else { continue }
      if gain.isOfDeletedOwner {
        // The owner is deleted with its members, or not deleted because it has some.
        if link.deleteRule == .cascade || link.deleteRule == .deny { continue }
      } else {
        SingleOwnerWarning.note(
          owner: gain.declaring.entityName, list: link.name, member: link.destination.entityName)
      }
      undoings.append(fixer.remove(gain.member, from: gain.owner, slot: gain.slot))
      if !gain.isOfDeletedOwner { lost.append(gain) }
    }
  }

  /// What lists have lost, if the save has stored both models.
  var takings: [SaveConsequences.Taking] {
    lost.compactMap { gain in
      guard let member = gain.member.identifier.rowKey else { return nil }
      let link = SaveConsequences.Link(identifier: gain.owner.identifier, slot: gain.slot)
      return SaveConsequences.Taking(link: link, member: member)
    }
  }

  /// Undoes what `apply` changed in memory.
  mutating func undo() {
    for undoing in undoings.reversed() { undoing() }
    (undoings, lost) = ([], [])
  }

  /// The lists of a relationship, of which one can have the member.
  private struct List: Hashable {
    /// The class that declares the relationship.
    let declaring: ObjectIdentifier
    let slot: Int
    let member: ObjectIdentifier

    init(_ gain: MemberGain) {
      declaring = ObjectIdentifier(gain.declaring)
      slot = gain.slot
      member = ObjectIdentifier(gain.member)
    }
  }
}
