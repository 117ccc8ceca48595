import RowStorage

/// Judges the pending models before any statement runs; all failures are told together.
struct Validation {
  let core: ContextCore

  func check() throws {
    var failures: [SwiftDataError] = []
    for storage in core.changes.inserted { judge(storage, into: &failures) }
    for storage in core.changes.changed { judge(storage, into: &failures) }
    guard let first = failures.first else { return }
    if failures.count == 1 { throw first }
    throw first.with(failures.map(\.description).joined(separator: "\n"))
  }

  private func judge(_ storage: _ModelStorage, into failures: inout [SwiftDataError]) {
    for slot in storage.descriptor.relationshipSlots where storage.changedSlots.contains(slot) {
      guard let link = storage.descriptor.link(slot, in: core.coordinator) else { continue }
      if link.isRequired, isMissing(storage, slot) {
        failures.append(
          failure(
            storage, link.name,
            "A required relationship has no model. Set it, or make it optional."))
      }
      guard link.isToMany, link.minimumCount > 0 || link.maximumCount > 0 else { continue }
      let count = storage.loadedToMany(slot).members?.count ?? 0
      if count < link.minimumCount || (link.maximumCount > 0 && count > link.maximumCount) {
        failures.append(
          failure(
            storage, link.name,
            "The relationship has \(count) models, not \(link.minimumCount) to "
              + "\(link.maximumCount)."))
      }
    }
  }

  private func isMissing(_ storage: _ModelStorage, _ slot: Int) -> Bool {
    switch storage.overlaid(slot) {
    case .null: true
    case .unset: storage.reader?.isNull(slot) ?? true
    default: false
    }
  }

  private func failure(_ storage: _ModelStorage, _ name: String, _ text: String) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "\(text) (\(storage.identifier))", entity: storage.descriptor.entityName, property: name)
  }
}
