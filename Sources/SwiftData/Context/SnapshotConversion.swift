import Foundation

/// Snapshots of custom stores: converted by way of their coded form, property by property.
extension DefaultSnapshot {
  init(converting snapshot: any DataStoreSnapshot, core: ContextCore) throws {
    func recode<S: DataStoreSnapshot>(_ snapshot: S) throws -> DefaultSnapshot {
      let data = try JSONEncoder().encode(snapshot)
      return try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    }
    do {
      self = try recode(snapshot)
    } catch {
      throw SwiftDataError.storeReadFailure.with(
        "The store's snapshot does not fit the model. Encode each property under its name.",
        doing: "reading a snapshot", entity: snapshot.persistentIdentifier.entityName,
        underlying: error)
    }
  }
}

extension ContextCore {
  /// A snapshot in the form that a custom store wants.
  func snapshot<S: DataStoreSnapshot>(of snapshot: DefaultSnapshot, as type: S.Type) -> S {
    func make<M: PersistentModel>(_ type: M.Type) -> S {
      let storage = _ModelStorage(snapshot.descriptor)
      storage.row = snapshot.row
      storage.page = snapshot.page
      storage.knownIdentifier = snapshot.persistentIdentifier
      storage.takeCells(of: snapshot)
      var related: [PersistentIdentifier: any BackingData] = [:]
      return S(from: _ManagedBackingData<M>(storage), relatedBackingDatas: &related)
    }
    return make(snapshot.descriptor.type)
  }
}
