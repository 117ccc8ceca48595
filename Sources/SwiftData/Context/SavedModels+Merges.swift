import OpenSwiftDataRowStorage

// New models that became rows with their unique values.

extension SavedModels {
  /// Called with the answer of a store that implements the public protocol. Where values are unique, the store
  /// may have merged a new model with another one: of the save, loaded, or named by the store.
  /// - Throws: `SwiftDataError.modelValidationFailure` if one without unique values got another's identifier.
  func checkedMerges(of batch: SaveSession.Batch) throws -> [SaveConsequences.Merge] {
    let identifiers = batch.receipt.inserted
    let named = Dictionary(
      batch.receipt.consequences.merged.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
    var (merges, known) = ([SaveConsequences.Merge](), Set<PersistentIdentifier>())
    for (index, (storage, identifier)) in zip(batch.insertedStorages, identifiers).enumerated() {
      let isRepeated = identifiers.count > 1 && !known.insert(identifier).inserted
      let other = identities.model(for: identifier)
      guard isRepeated || named[index] != nil || other != nil else { continue }
      guard storage.descriptor.isConstrained else {
        throw SwiftDataError.modelValidationFailure.with(
          "The store \(batch.port.name) saved a new model, but returned the identifier \(identifier) for it, "
            + "which another model has. The identifier of a new model must be one that no model has had.",
          entity: storage.descriptor.entityName, because: .other)
      }
      // The save may have deleted the row before.
      if isRepeated || !batch.deletedStorages.contains(where: { $0.identifier == identifier }) {
        var merge = SaveConsequences.Merge(index: index, isOfNewModel: isRepeated)
        merge.earlierLinks = named[index]?.earlierLinks
        if merge.earlierLinks == nil, watchers.needEarlierLinks {
          merge.hasNewMembers = false
          merge.earlierLinks = other.map { knownLinks(of: $0.storage) }
        }
        merges.append(merge)
      }
    }
    return merges
  }

  /// Where the to-one relationships of a row lead, as far as a model in memory shows that.
  private func knownLinks(of storage: _ModelStorage) -> SaveConsequences.EarlierLinks {
    var links: SaveConsequences.EarlierLinks = [:]
    for slot in storage.descriptor.relationshipSlots
    where storage.descriptor.properties[slot].isToOne {
      switch storage.relationships.value(slot) {
      case .model(let partner): links[slot] = .some(partner.persistentModelID)
      case .identifier(let identifier): links[slot] = .some(identifier)
      case .null: links[slot] = .some(nil)
      case .unset:
        guard let row = storage.knownRow(for: slot) else { continue }
        links[slot] = .some(
          row.isNull(slot)
            ? nil
            : stores.port(of: storage)?.destination(
              of: storage.descriptor, slot: slot, key: row.integer(slot)))
      case .toMany, .weakReferences: continue
      }
    }
    return links
  }

  /// Called before merged models show their rows, when all models of the save have their identifiers.
  /// - Parameter unnamed: Models whose identifier leads to another one.
  func noteMerges(of batches: [SaveSession.Batch], _ unnamed: some Sequence<_ModelStorage>) {
    guard watchers.needEarlierLinks else { return }
    var noted: Set<ObjectIdentifier> = []
    for batch in batches {
      let consequences = batch.receipt.consequences
      if consequences.merged.isEmpty { continue }
      var newMembers: [PersistentIdentifier: [SaveConsequences.NewMember]] = [:]
      for new in consequences.newMembers {
        for row in Set([new.owner.resolved, new.member.resolved]) {
          newMembers[row, default: []].append(new)
        }
      }
      let dropped = Set(consequences.dropped)
      for merge in consequences.merged where !dropped.contains(merge.index) {
        let storage = batch.insertedStorages[merge.index]
        noted.insert(ObjectIdentifier(storage))
        watchers.didMerge(
          storage, merge.earlierLinks,
          merge.hasNewMembers ? newMembers[storage.identifier] ?? [] : nil)
      }
    }
    for storage in unnamed where noted.insert(ObjectIdentifier(storage)).inserted {
      watchers.didMerge(storage, nil, nil)
    }
  }
}
