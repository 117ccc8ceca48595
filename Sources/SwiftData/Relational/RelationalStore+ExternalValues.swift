import Foundation

/// Large values of a save are put outside of the rows, before the rows are written.
extension RelationalStore {
  /// Hands large values over to the driver.
  /// - Returns: The request with their names in place of them, and where it has any.
  func outsourced(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> (request: DataStoreSaveChangesRequest<DefaultSnapshot>, places: ExternalPlaces) {
    var places = ExternalPlaces()
    guard let external = driver.externalValues, plans.hasExternalValues else {
      return (request, places)
    }
    var large = LargeValues(threshold: external.threshold)
    for (index, snapshot) in request.inserted.enumerated() {
      try large.add(from: snapshot, at: index, isNew: true, columns(of: snapshot))
    }
    for (index, snapshot) in request.updated.enumerated() {
      try large.add(from: snapshot, at: index, isNew: false, columns(of: snapshot))
    }
    if large.values.isEmpty { return (request, places) }
    var (inserted, updated) = (request.inserted, request.updated)
    for (place, name) in zip(large.places, try external.write(large.values)) {
      if place.isNew {
        inserted[place.index] = inserted[place.index].naming(name, for: place.slot)
        places.inserted[place.index, default: SlotSet()].insert(place.slot)
      } else {
        updated[place.index] = updated[place.index].naming(name, for: place.slot)
        places.updated[place.index, default: SlotSet()].insert(place.slot)
      }
    }
    let named = DataStoreSaveChangesRequest(
      inserted: inserted, updated: updated, deleted: request.deleted,
      editingState: request.editingState)
    return (named, places)
  }

  private func columns(of snapshot: DefaultSnapshot) throws -> [SaveStatements.Column] {
    if snapshot.descriptor.externalSlots.isEmpty { return [] }
    return plans.save(of: try entity(snapshot.descriptor)).statements.externalColumns
  }
}

/// The values of a save that are too long for their rows.
private struct LargeValues {
  struct Place {
    let isNew: Bool
    let index: Int
    let slot: Int
  }

  let threshold: Int
  private(set) var values: [Data] = []
  private(set) var places: [Place] = []

  init(threshold: Int) { self.threshold = threshold }

  mutating func add(
    from snapshot: DefaultSnapshot, at index: Int, isNew: Bool, _ columns: [SaveStatements.Column]
  ) throws {
    for column in columns where isNew || snapshot.changedSlots.contains(column.slot) {
      let value: Data
      switch snapshot.value(column.cell) {
      case .blob(let bytes) where bytes.count > threshold: value = bytes
      case .text(let text) where text.utf8.count > threshold: value = Data(text.utf8)
      case .null, .integer, .real, .text, .blob, .uuid, .reference, .identifier: continue
      }
      values.append(value)
      places.append(Place(isNew: isNew, index: index, slot: column.slot))
    }
  }
}
