public import OpenSwiftDataRowStorage

/// The values of one model instance: a row in a page, and over it the changed or decoded values.
///
/// Reads take values directly from the row; writes and decoding put them into the overlay. A model
/// that was never saved has its values in the overlay only. `ModelLifeCycle.swift` describes the
/// states of a model and the transitions between them.
///
/// Not thread safe: a model belongs to the thread of its context, and before that to the thread
/// that created it. The stored properties skip the dynamic exclusivity check, which cost a tenth of
/// every read; no access to them calls other code while it lasts.
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
  /// The position in one of the context's lists of pending changes; -1 outside. Four bytes, which
  /// fit after the flags.
  @exclusivity(unchecked) var pendingIndex: Int32 = -1
  /// The model these values belong to, once it is known. The model owns the storage.
  @exclusivity(unchecked) private var owner = ModelReference()
  @exclusivity(unchecked) var knownIdentifier: PersistentIdentifier?
  @exclusivity(unchecked) @usableFromInline var observers: Observers?
  /// Slots that differ from the store.
  @exclusivity(unchecked) var changedSlots = SlotSet()
  /// The context's table in which this storage is found by key; it lives as long as `source`.
  @exclusivity(unchecked) unowned(unsafe) var table: RowRegistry?

  @usableFromInline
  init(_ descriptor: _ModelDescriptor) {
    self.descriptor = descriptor
  }

  /// Runs on the thread that releases the last reference to the model, in parallel to the
  /// context's.
  deinit {
    if let table, let knownIdentifier {
      table.remove(self, for: knownIdentifier.id.key)
    } else if flags.contains(.isRegistered) {
      source?._forget(self)
    } else {
      knownIdentifier?.temporaryScope?.forget(self)
    }
    if overlay != nil, retainsModels, let values = overlay.take() {
      DeferredRelease.dispose(of: values)
    }
  }

  /// The model, retained; nil while it is deinitialised.
  var model: AnyObject? { owner.live }

  /// Whether the storage belongs to a model, which may be being deinitialised.
  var hasModel: Bool { owner.isSet }

  /// Whether the model is being deinitialised.
  var isDeinitialising: Bool { hasModel && model == nil }

  func belong(to model: AnyObject) { owner = ModelReference(model) }

  @usableFromInline
  var reader: RowReader? {
    row.map { RowReader(row: $0, cellsOffset: descriptor.cellsOffset) }
  }

  /// The changed or decoded value of a slot; `.unset` if the row has it.
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

  /// The row to read `slot` from, faulted if needed; `nil` if there is none.
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

  /// The flags, after checking whether the row of a fault exists.
  var flagsWithRow: LifeCycle.Flags {
    if flags.isDisjoint(with: [.isDeleted, .hasNoRow]), flags.contains(.isFault), partialRow == nil
    {
      source?._fill(self)
    }
    return flags
  }

  /// The identifier, created at the first use for a model that has never been saved.
  var identifier: PersistentIdentifier {
    if let knownIdentifier { return knownIdentifier }
    let made = PersistentIdentifier(temporaryFor: descriptor.entityName)
    knownIdentifier = made
    if let source { made.temporaryScope?.begin(self, in: source) }
    return made
  }

  /// The model. Its class is the descriptor's, except after misuse, so its conformance need not be
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
