/// How inserting a model changes its relationships: related models become models of the context,
/// then their inverses are set.
extension RelationshipFixer {
  /// Replaces related models of an inserted model that belong to another context by this context's
  /// instances of their rows. One that its context has not saved has no row, so the next save
  /// throws.
  func adoptRelatedModels(of storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      switch storage.overlaid(slot) {
      case .weakReferences(let partners): hold(partners, of: storage, slot)
      case .toMany(let value):
        guard value.added.contains(where: belongsToOtherContext) else { continue }
        let members = (value.members ?? value.added).compactMap { member in
          belongsToOtherContext(member) ? core.adopted(member, by: storage, slot) : member
        }
        value.replaceAll(members)
      case .model(let partner): takeOver(partner, slot, of: storage)
      case .unset, .null, .identifier: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }

  /// Makes the inverses of a newly inserted model's relationships consistent with it.
  func reconcile(_ storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard let inverse = storage.descriptor.link(slot, in: core.coordinator)?.inverseSlot
      else { continue }
      switch storage.overlaid(slot) {
      case .model(let partner): gain(storage, in: partner._$storage, slot: inverse)
      case .toMany(let value):
        for member in value.added { gain(storage, in: member._$storage, slot: inverse) }
      case .unset, .null, .identifier, .weakReferences: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }

  /// Holds the related models of a graph that is inserted again.
  private func hold(_ partners: _WeakReferences, of storage: _ModelStorage, _ slot: Int) {
    if storage.descriptor.properties[slot].isToMany {
      storage.overlay(.toMany(_ToManyValue(members: partners.models)), at: slot)
    } else if let partner = partners.models.first {
      storage.overlay(.model(partner), at: slot)
      takeOver(partner, slot, of: storage)
    } else {
      storage.overlay(.null, at: slot)
    }
  }

  private func takeOver(_ partner: any PersistentModel, _ slot: Int, of storage: _ModelStorage) {
    guard belongsToOtherContext(partner) else { return }
    let own = core.adopted(partner, by: storage, slot)
    storage.overlay(own.map { .model($0) } ?? .null, at: slot)
  }

  private func belongsToOtherContext(_ model: any PersistentModel) -> Bool {
    guard let source = model._$storage.source else { return false }
    return source !== core
  }
}
