/// Related models that are not retained, in a graph that left its context unsaved.
///
/// Both sides of its relationships are set, so retaining both would keep the graph alive forever.
/// To-one and many-to-many relationships are weak; a parent still retains its children.
public final class _WeakReferences {
  private struct Reference {
    weak var model: (any PersistentModel)?
  }

  private let references: [Reference]

  init(_ models: [any PersistentModel]) { references = models.map(Reference.init) }

  /// The models that have another owner.
  var models: [any PersistentModel] { references.compactMap(\.model) }
}

extension _ModelStorage {
  /// Makes references weak to related models that retain this model.
  /// - Parameter isManyToMany: Whether the inverse of a to-many is a to-many too.
  func weakenReferences(isManyToMany: (_ slot: Int) -> Bool) {
    guard overlay != nil else { return }
    for slot in descriptor.relationshipSlots {
      switch overlaid(slot) {
      case .model(let partner):
        // A stored model doesn't retain this one: its lists are read from the store.
        guard partner._$storage.knownIdentifier?.isTemporary ?? true else { continue }
        overlay(.weakReferences(_WeakReferences([partner])), at: slot)
      case .toMany(let value):
        guard isManyToMany(slot) else { continue }
        overlay(.weakReferences(_WeakReferences(Array(value.members ?? value.added))), at: slot)
      case .unset, .null, .identifier, .weakReferences: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }
}
