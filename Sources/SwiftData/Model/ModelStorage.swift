public import OpenSwiftDataRowStorage

/// The values of one model instance: a row in a page, and over it what has changed or been decoded.
///
/// Reading takes values straight from the row; writing and decoding put them into the overlay. A
/// model that no store knows has its values in the overlay alone. What states a model goes through,
/// and what moves it from one to the next, stands in `ModelLifeCycle.swift`.
///
/// Not thread safe: a model belongs to the thread of its context, and to that of its maker before. The stored
/// properties skip the dynamic check for overlapping access, which cost a tenth of every read; no
/// access to them calls out while it lasts.
public final class _ModelStorage {
  /// Descriptors live as long as the process.
  @usableFromInline unowned(unsafe) let descriptor: _ModelDescriptor
  @exclusivity(unchecked) @usableFromInline var row: UnsafeRawPointer?
  @exclusivity(unchecked) @usableFromInline var page: RowPage?
  /// A row in `page` that has a few of the properties, while the whole row has not been read.
  @exclusivity(unchecked) var partialRow: UnsafeRawPointer?
  @exclusivity(unchecked) @usableFromInline var overlay: ContiguousArray<_SlotValue>?
  /// Changed by the transitions in `ModelLifeCycle.swift` only.
  @exclusivity(unchecked) @usableFromInline var lifeCycle = LifeCycle.transient
  /// The place in one of the context's lists of pending changes; -1 outside. Four bytes, which fit
  /// behind the flags.
  @exclusivity(unchecked) var pendingPlace: Int32 = -1
  /// The model these values belong to, once it is known. The model owns the storage.
  @exclusivity(unchecked) private var owner = ModelReference()
  @exclusivity(unchecked) var knownIdentifier: PersistentIdentifier?
  @exclusivity(unchecked) @usableFromInline var observers: Observers?
  /// Slots that differ from the store.
  @exclusivity(unchecked) var changedSlots = SlotSet()
  /// Where the context finds this storage by key; it lives as long as `source`.
  @exclusivity(unchecked) unowned(unsafe) var table: RowRegistry?

  @usableFromInline
  init(_ descriptor: _ModelDescriptor) {
    self.descriptor = descriptor
  }

  /// Runs on the thread that drops the last reference to the model, beside that of the context.
  deinit {
    if let table, let knownIdentifier {
      table.remove(self, for: knownIdentifier.id.key)
    } else if flags.contains(.isRegistered) {
      source?._forget(self)
    } else {
      knownIdentifier?.temporaryScope?.forget(self)
    }
    if overlay != nil, holdsPartners, let values = overlay.take() {
      ValueDisposal.dispose(of: values)
    }
  }

  /// The model, held; nil while it is deinitialised.
  var model: AnyObject? { owner.live }

  /// Whether the storage is that of a model, which may be being deinitialised.
  var hasModel: Bool { owner.isSet }

  /// Whether the model is being deinitialised.
  var isGoing: Bool { hasModel && model == nil }

  func belong(to model: AnyObject) { owner = ModelReference(model) }

  @usableFromInline
  var reader: RowReader? {
    row.map { RowReader(row: $0, cellsOffset: descriptor.cellsOffset) }
  }

  /// The changed or decoded value of a slot; `.unset` when the row has it.
  @inlinable
  func overlaid(_ slot: Int) -> _SlotValue {
    guard let overlay, slot < overlay.count else { return .unset }
    return overlay[slot]
  }

  @inlinable
  func overlay(_ value: _SlotValue, at slot: Int) {
    if overlay == nil {
      overlay = ContiguousArray(repeating: .unset, count: descriptor.slotCount)
    }
    overlay?[slot] = value
  }

  /// The row to read `slot` from, faulted in where needed; `nil` when there is none.
  @inlinable
  func readableRow(for slot: Int) -> RowReader? {
    if let row { return RowReader(row: row, cellsOffset: descriptor.cellsOffset) }
    return faultedRow(for: slot)
  }

  @usableFromInline
  func faultedRow(for slot: Int) -> RowReader? {
    if let partialRow, partialRowHas(slot) {
      return RowReader(row: partialRow, cellsOffset: descriptor.cellsOffset)
    }
    guard flags.contains(.isFault), let source else { return nil }
    source._fill(self)
    return reader
  }

  /// The identifier, made on first use for a model that has never been saved.
  var identifier: PersistentIdentifier {
    if let knownIdentifier { return knownIdentifier }
    let made = PersistentIdentifier(temporaryFor: descriptor.entityName)
    knownIdentifier = made
    if let source { made.temporaryScope?.begin(self, in: source) }
    return made
  }

  /// The model. Its class is the descriptor's, save for misuse, so its conformance need not be
  /// looked up.
  var persistentModel: (any PersistentModel)? {
    guard let model else { return nil }
    func typed<M: PersistentModel>(_ type: M.Type) -> (any PersistentModel)? {
      guard ObjectIdentifier(Swift.type(of: model)) == ObjectIdentifier(type) else {
        return model as? any PersistentModel
      }
      return unsafeDowncast(model, to: type)
    }
    return typed(descriptor.type)
  }
}
