/// Finds the attributes that a save has to write again: those with identifiers of models that got their keys in
/// the same save.
///
/// An attribute is encoded before the stores write, and only then it is known which rows the new models become.
/// The values of a row count as written once. Without temporary identifiers in attributes nothing is done.
struct IdentifierCompletion {
  /// A row to write again.
  struct Row {
    let holder: IdentifierHolder
    /// The values, with the slots to write as changed ones.
    let values: DefaultSnapshot
  }

  private let receipt: SaveReceipt
  /// The changed models of the request, with the slots to write.
  private let updated: [(identifier: PersistentIdentifier, slots: SlotSet)]
  private let new: NewIdentifiers
  /// The last new model that became a row, where several models did.
  private var lastNew: [PersistentIdentifier: Int] = [:]
  /// The rows of which several instances were changed.
  private var repeated: Set<PersistentIdentifier> = []
  /// The new models that became no row.
  private let dropped: Set<Int>

  init(
    _ receipt: SaveReceipt, updated: [(identifier: PersistentIdentifier, slots: SlotSet)],
    _ new: NewIdentifiers
  ) {
    self.receipt = receipt
    self.updated = updated
    self.new = new
    dropped = Set(receipt.consequences.dropped)
    var known: Set<PersistentIdentifier> = []
    for (identifier, _) in updated where !known.insert(identifier).inserted {
      repeated.insert(identifier)
    }
    if receipt.consequences.merged.isEmpty { return }
    for (index, identifier) in receipt.inserted.enumerated() { lastNew[identifier] = index }
    // In the order of the writes.
    for merge in receipt.consequences.merged {
      lastNew[receipt.inserted[merge.index]] = merge.index
    }
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` when a value can't be encoded.
  func rows(of holders: [IdentifierHolder]) throws -> [Row] {
    var rows: [Row] = []
    for holder in holders where !holder.isNew || !dropped.contains(holder.index) {
      let identifier =
        holder.isNew ? receipt.inserted[holder.index] : updated[holder.index].identifier
      let positions = holder.isNew ? receipt.external.inserted : receipt.external.updated
      let outside = positions[holder.index] ?? SlotSet()
      let slots = slots(of: holder, identifier).subtracting(holder.descriptor.ephemeralSlots)
      let (values, lacking) = try holder.completed(identifier, slots.subtracting(outside), new)
      for name in holder.descriptor.names(of: lacking) { warn(holder.descriptor.entityName, name) }
      for name in holder.descriptor.names(of: outside.intersection(holder.slots)) {
        warn(holder.descriptor.entityName, name, isOutside: true)
      }
      if let values { rows.append(Row(holder: holder, values: values)) }
    }
    return rows
  }

  /// The slots that no model has written later. New models are written last.
  private func slots(
    of holder: IdentifierHolder, _ identifier: PersistentIdentifier
  ) -> SlotSet {
    if let last = lastNew[identifier], !holder.isNew || last != holder.index { return SlotSet() }
    if holder.isNew { return .all }
    guard repeated.contains(identifier) else { return updated[holder.index].slots }
    return updated.indices.reduce(updated[holder.index].slots) { slots, other in
      updated[other].identifier == identifier && isWritten(other, after: holder.index)
        ? slots.subtracting(updated[other].slots) : slots
    }
  }

  private func isWritten(_ other: Int, after index: Int) -> Bool {
    let isLate = receipt.lateUpdates.contains(index)
    let isOtherLate = receipt.lateUpdates.contains(other)
    return isLate == isOtherLate ? other > index : isOtherLate
  }

  private func warn(_ entity: String, _ property: String, isOutside: Bool = false) {
    let place = "\(entity).\(property)"
    WarningLog.write(
      isOutside
        ? "\(place) was saved with the identifier of a new model, in a file beside the store. It leads to no model "
          + "after the end of the program. Save the new model before its identifier is set."
        : "\(place) was saved with the identifier of a model that is not saved. It leads to no model after the end "
          + "of the program. Save that model first, or in the same save.",
      onceFor: "identifier in \(place)")
  }
}

extension SaveSession.Batch {
  /// Attributes show the permanent identifiers that they were saved with.
  func showIdentifiers() {
    for row in completed {
      let holder = row.holder
      let storage = (holder.isNew ? insertedStorages : updatedStorages)[holder.index]
      if storage.source == nil || storage.flags.contains(.hasNoRow) { continue }
      for (slot, _) in holder.values.all where row.values.changedSlots.contains(slot) {
        guard let value = row.values.decodedValue(slot) else { continue }
        if case .null = value { continue }
        storage.notifyingObservers(of: slot) { storage.overlay(value, at: slot) }
      }
    }
  }

  /// Called after a commit for attributes that name new models whose stores have not committed: they are changed
  /// again, so that the next save stores the identifiers that these models get then.
  func repeatChanges(naming lost: NewIdentifiers, with recorder: ChangeRecorder) {
    for holder in holders {
      let storage = (holder.isNew ? insertedStorages : updatedStorages)[holder.index]
      if storage.source == nil || !storage.flags.isDisjoint(with: [.hasNoRow, .isDeleted]) {
        continue
      }
      let row = try? holder.completed(storage.identifier, .all, lost).row
      guard let slots = row?.changedSlots.subtracting(holder.descriptor.ephemeralSlots) else {
        continue
      }
      for (slot, value) in holder.values.all
      where slots.contains(slot) && !storage.changedSlots.contains(slot) {
        guard recorder.repeatChange(storage, slot: slot) else { continue }
        storage.notifyingObservers(of: slot) { storage.overlay(value, at: slot) }
      }
    }
  }
}

extension IdentifierHolder {
  fileprivate var slots: SlotSet {
    var slots = SlotSet()
    for (slot, _) in values.all { slots.insert(slot) }
    return slots
  }
}

extension NewIdentifiers {
  /// The identifiers of the new models that some stores have written.
  convenience init(of batches: [SaveSession.Batch]) {
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    for batch in batches {
      let dropped = Set(batch.receipt.consequences.dropped)
      for (index, identifier) in batch.receipt.inserted.enumerated()
      where dropped.isEmpty || !dropped.contains(index) {
        let storage = batch.insertedStorages[index]
        // Nothing can name a model without a known identifier.
        if let temporary = storage.knownIdentifier { permanent[temporary] = identifier }
      }
    }
    self.init { [permanent] in permanent[$0] }
  }
}

extension SaveRequest {
  /// Whether attributes contain identifiers of new models.
  var namesNewModels: Bool {
    inserted.namesNewModels || updated.contains { $0.identifierValues != nil }
  }

  /// The rows to write again after a save of the public protocol.
  func completion(_ receipt: SaveReceipt) throws -> [DefaultSnapshot] {
    var holders: [IdentifierHolder] = []
    func add(_ snapshot: DefaultSnapshot, _ index: Int, isNew: Bool) {
      guard let values = snapshot.identifierValues else { return }
      holders.append(
        IdentifierHolder(
          index: index, isNew: isNew, descriptor: snapshot.descriptor, values: values))
    }
    for index in inserted.indices { add(inserted[index], index, isNew: true) }
    for (index, snapshot) in updated.enumerated() { add(snapshot, index, isNew: false) }
    if holders.isEmpty { return [] }
    let dropped = Set(receipt.consequences.dropped)
    let permanent = Dictionary(
      inserted.indices.lazy.filter { !dropped.contains($0) }
        .map { (inserted[$0].persistentIdentifier, receipt.inserted[$0]) },
      uniquingKeysWith: { $1 })
    let completion = IdentifierCompletion(
      receipt, updated: updated.map { ($0.persistentIdentifier, $0.changedSlots) },
      NewIdentifiers { permanent[$0] })
    return try completion.rows(of: holders).map(\.values)
  }
}
