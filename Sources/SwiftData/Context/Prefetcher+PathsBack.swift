// Paths that lead back to the models that they begin with, as in `[\.author, \.author?.books]`.
//
// The authors retain the books then, and the context retains the authors: the last 1024, or all authors of
// one prefetch until the next one with more (`RecentlyFaultedModels`). A step back through a many-to-many
// relationship is left out: both lists would retain each other's models.

extension Prefetcher {
  /// What a prefetch that visits a class twice has read.
  final class Visited {
    /// The models whose relationships a later step must not drop.
    var models: Set<ObjectIdentifier> = []
    /// Models that hold those that they were read for, so that these do not retain them.
    var owners: [AnyObject] = []
  }

  /// Whether several steps lead to the same models.
  func leadsBack(_ tree: PrefetchTree, from descriptor: _ModelDescriptor) -> Bool {
    var visited = [descriptor]
    func visits(_ tree: PrefetchTree, _ descriptor: _ModelDescriptor) -> Bool {
      tree.branches.contains { slot, branch in
        guard let next = descriptor.link(slot, in: coordinator)?.destination else { return false }
        if visited.contains(where: { $0.isKind(of: next) || next.isKind(of: $0) }) { return true }
        visited.append(next)
        return visits(branch, next)
      }
    }
    return visits(tree, descriptor)
  }

  /// The models of a to-one relationship that retain those that they were read for.
  func releasedPartners(
    of storages: [_ModelStorage], _ slot: Int, _ port: any StorePort, besides held: [_ModelStorage]
  ) -> [_ModelStorage] {
    var seen = Set(held.map(ObjectIdentifier.init))
    var scope: IdentifierScope?
    return storages.compactMap { storage in
      guard let identifier = toOneIdentifier(of: storage, slot, port, &scope),
        let partner = materializer.registered(identifier)?.storage,
        seen.insert(ObjectIdentifier(partner)).inserted
      else { return nil }
      return partner
    }
  }

  /// Makes members that retain their owner refer to it by identifier: it is about to retain them.
  /// - Returns: Whether the owner may retain its members; not if one of them retains it in a list.
  func release(
    _ owner: _ModelStorage, _ inverse: Int, by members: ArraySlice<any PersistentModel>,
    _ visited: Visited
  ) -> Bool {
    guard let model = owner.persistentModel else { return true }
    let holders = members.lazy.map { $0._$storage }.filter {
      visited.models.contains(ObjectIdentifier($0)) && $0.relationships.holds(model, inverse)
    }
    guard let first = holders.first else { return true }
    if first.descriptor.properties[inverse].isToMany { return false }
    for holder in holders { holder.relationships.releaseModels(inverse) }
    visited.owners.append(model)
    return true
  }
}
