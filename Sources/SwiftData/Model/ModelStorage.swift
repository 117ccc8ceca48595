public import OpenSwiftDataRowStorage

/// The values of one model instance: a row in a page, and over it what has changed or been decoded.
///
/// 1. A new model starts with neither row nor context; its initialiser fills the overlay.
/// 2. Inserting it gives it a context and a temporary identifier, saving a row and a permanent one.
/// 3. A fetched model starts as a row. Reading takes values straight from the row; writing and
///    decoding put them into the overlay.
/// 4. A fault has an identifier and a context; the first read brings the row. A partial fault has
///    some properties in a partial row; the first read of another one brings the whole row.
///
/// Not thread safe: a model belongs to the context that made it, and to nobody before. The stored
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
  @exclusivity(unchecked) @usableFromInline var source: (any _FaultSource)?
  /// The model these values belong to. The model owns the storage, so the reference is unowned; it
  /// is nil until the model is known.
  @exclusivity(unchecked) unowned(unsafe) var model: AnyObject?
  @exclusivity(unchecked) var knownIdentifier: PersistentIdentifier?
  @exclusivity(unchecked) @usableFromInline var observers: Observers?
  @exclusivity(unchecked) @usableFromInline var flags: Flags = []
  /// The place in one of the context's lists of pending changes; -1 outside. Four bytes, which fit
  /// beside the flags.
  @exclusivity(unchecked) var pendingPlace: Int32 = -1
  /// Slots that differ from the store.
  @exclusivity(unchecked) var changedSlots = SlotSet()
  /// Where the context finds this storage by key; it lives as long as `source`.
  @exclusivity(unchecked) unowned(unsafe) var table: RowRegistry?

  @usableFromInline
  struct Flags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Values are being taken from a row; initial values of the declaration don't count.
    @inlinable static var isMaterializing: Flags { Flags(rawValue: 1 << 0) }
    static var isInserted: Flags { Flags(rawValue: 1 << 1) }
    static var isChanged: Flags { Flags(rawValue: 1 << 2) }
    static var isDeleted: Flags { Flags(rawValue: 1 << 3) }
    /// In the identity map of its context under a key that is no integer.
    static var isRegistered: Flags { Flags(rawValue: 1 << 4) }
    /// The identity before the first save was used as hash, and stays it.
    static var hashedWhileTemporary: Flags { Flags(rawValue: 1 << 5) }
    /// The row has not been read yet.
    @inlinable static var isFault: Flags { Flags(rawValue: 1 << 6) }
    /// Deleted in the store; the values are the last ones known.
    static var isGone: Flags { Flags(rawValue: 1 << 7) }
  }

  @usableFromInline
  init(_ descriptor: _ModelDescriptor) {
    self.descriptor = descriptor
  }

  deinit {
    if let table, let knownIdentifier {
      table.remove(self, for: knownIdentifier.id.key)
    } else if flags.contains(.isRegistered) {
      source?._forget(self)
    } else {
      knownIdentifier?.temporaryScope?.end(permanent: nil)
    }
    if overlay != nil, holdsPartners, let values = overlay.take() {
      ValueDisposal.dispose(of: values)
    }
  }

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
    if source != nil { made.temporaryScope?.begin(self) }
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

  /// Replaces row and page by fresh ones and drops what was decoded from the old row.
  func refresh(page: RowPage?, row: UnsafeRawPointer?) {
    self.page = page
    self.row = row
    partialRow = nil
    overlay = nil
    flags.remove(.isFault)
  }
}
