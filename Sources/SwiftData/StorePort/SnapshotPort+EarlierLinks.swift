extension EarlierRowLinks {
  func toOnes(of descriptor: _ModelDescriptor) -> SaveConsequences.EarlierLinks {
    var links: SaveConsequences.EarlierLinks = [:]
    for slot in descriptor.relationshipSlots where descriptor.properties[slot].isToOne {
      links[slot] = .some(destination(of: descriptor.properties[slot].name))
    }
    return links
  }
}

extension SnapshotPort {
  /// The members that lists have gained, where they or their owners became stored rows. Lists whose members have a
  /// to-one relationship to the owner are left out.
  /// - Parameters:
  ///   - merged: These rows, by the temporary identifiers of the new models.
  ///   - permanent: The identifiers of all new models.
  func newMembers(
    of snapshots: [DefaultSnapshot], besides merged: [PersistentIdentifier: EarlierRowLinks],
    _ permanent: [PersistentIdentifier: PersistentIdentifier]
  ) -> [SaveConsequences.NewMember] {
    var found: [SaveConsequences.NewMember] = []
    for snapshot in snapshots {
      let (owner, descriptor) = (snapshot.persistentIdentifier, snapshot.descriptor)
      let ownRow = merged[owner]
      for list in snapshot.toManys {
        let name = descriptor.properties[list.slot].name
        let relationship = schema.relationship(name, of: descriptor.entityName)
        let inverse = relationship?.inverseName
        if let inverse, let destination = relationship?.destination,
          schema.relationship(inverse, of: destination)?.isToOneRelationship == true
        {
          continue
        }
        for member in list.added {
          let isStored: Bool
          if let ownRow {
            isStored = ownRow.has(permanent[member] ?? member.resolved, in: name)
          } else if let row = merged[member] {
            let owner = permanent[owner] ?? owner.resolved
            isStored =
              inverse.map { row.has(owner, in: $0) } ?? row.isMember(of: owner, in: name)
          } else {
            continue
          }
          if isStored { continue }
          found.append(
            SaveConsequences.NewMember(
              owner: permanent[owner] ?? owner, slot: list.slot,
              member: permanent[member] ?? member))
        }
      }
    }
    return found
  }
}
