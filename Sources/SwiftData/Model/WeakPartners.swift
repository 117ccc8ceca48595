/// Partners that are named and not held, in a graph that left its context unsaved.
///
/// Both sides of its relationships are set, so holding both would keep the graph alive for ever.
/// To-one and many-to-many partners are named; a parent goes on holding its children.
public final class _WeakPartners {
  private struct Reference {
    weak var model: (any PersistentModel)?
  }

  private let references: [Reference]

  init(_ models: [any PersistentModel]) { references = models.map(Reference.init) }

  /// Those that somebody else holds.
  var models: [any PersistentModel] { references.compactMap(\.model) }
}

extension _ModelStorage {
  /// Stops holding partners that hold this model in turn.
  /// - Parameter isManyToMany: Whether the other side of a to-many is one too.
  func weakenPartners(isManyToMany: (_ slot: Int) -> Bool) {
    guard overlay != nil else { return }
    for slot in descriptor.relationshipSlots {
      switch overlaid(slot) {
      case .model(let partner):
        // A stored partner doesn't hold this model: its lists are read from the store.
        guard partner._$storage.knownIdentifier?.isTemporary ?? true else { continue }
        overlay(.weakPartners(_WeakPartners([partner])), at: slot)
      case .toMany(let value):
        guard isManyToMany(slot) else { continue }
        overlay(.weakPartners(_WeakPartners(Array(value.members ?? value.added))), at: slot)
      case .unset, .null, .identifier, .weakPartners: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }
}
