/// Partners that are named and not held, in a graph that left its context unsaved.
///
/// Both sides of its relationships are set, so holding both would keep the graph alive for ever.
/// To-one and many-to-many partners are named; a parent goes on holding its children.
final class LoosePartners {
  private struct Reference {
    weak var model: AnyObject?
  }

  private let references: [Reference]

  init(_ models: [AnyObject]) { references = models.map(Reference.init) }

  /// Those that somebody else holds.
  var models: [AnyObject] { references.compactMap(\.model) }
}

extension _ModelStorage {
  /// - Parameter isManyToMany: Whether the other side of a to-many is one too.
  func loosenPartners(isManyToMany: (_ slot: Int) -> Bool) {
    guard overlay != nil else { return }
    for slot in descriptor.relationshipSlots {
      guard case .object(let object) = overlaid(slot) else { continue }
      if let partner = object as? any PersistentModel {
        // A stored partner doesn't hold this model: its lists are read from the store.
        guard partner._$storage.knownIdentifier?.isTemporary ?? true else { continue }
        overlay(.object(LoosePartners([partner])), at: slot)
      } else if let value = object as? ToManyValue, isManyToMany(slot) {
        overlay(.object(LoosePartners(value.members ?? value.added)), at: slot)
      }
    }
  }
}
