public import OpenSwiftDataRowStorage

/// The values of one model instance: a row in a page, and over it the changed or decoded values.
///
/// A storage has three parts with rules of their own:
/// - `rowView`: the row that the model shows;
/// - `overlay`: values over the row, and which of them are unsaved;
/// - `relationships`: the related models in the overlay.
///
/// It keeps the identity, the life cycle and the owner itself. Reads take values directly from the
/// row; writes and decoding put them into the overlay. A model that was never saved has its values
/// in the overlay, until the context moves them into a row (`packValues`). `ModelLifeCycle.swift`
/// describes the states of a model and the transitions between them.
///
/// Not thread safe: a model belongs to the thread of its context, and before that to the thread
/// that created it. The stored properties skip the dynamic exclusivity check, which cost a tenth of
/// every read; no access to them calls other code while it lasts.
public final class _ModelStorage {
  /// Descriptors live as long as the process.
  @usableFromInline unowned(unsafe) let descriptor: _ModelDescriptor
  /// The parts are structs in the memory of the storage; their setters are private to their files.
  @exclusivity(unchecked) @usableFromInline var rowView = RowView()
  @exclusivity(unchecked) @usableFromInline var overlay = SlotOverlay()
  /// Changed by the transitions in `ModelLifeCycle.swift` only.
  @exclusivity(unchecked) var lifeCycle = LifeCycle.transient
  /// The position in one of the context's lists of pending changes; -1 outside. Four bytes, which
  /// fit after the flags.
  @exclusivity(unchecked) var pendingIndex: Int32 = -1
  /// The model these values belong to, once it is known. The model owns the storage.
  @exclusivity(unchecked) private var owner = ModelReference()
  @exclusivity(unchecked) private(set) var knownIdentifier: PersistentIdentifier?
  @exclusivity(unchecked) @usableFromInline var observers: Observers?
  /// The context's table in which this storage is found by key; it lives as long as `source`.
  @exclusivity(unchecked) private var registry: Unmanaged<RowRegistry>?

  init(_ descriptor: _ModelDescriptor) {
    self.descriptor = descriptor
  }

  /// Runs on the thread that releases the last reference to the model, in parallel to the
  /// context's.
  deinit {
    if let registry, let key = knownIdentifier?.id.key {
      registry._withUnsafeGuaranteedRef { $0.remove(self, for: key) }
    } else if flags.contains(.isRegistered) {
      source?._forget(self)
    } else {
      knownIdentifier?.temporaryScope?.forget(self)
    }
    if !overlay.isEmpty, overlay.retainsModels(in: descriptor.relationshipSlots),
      let values = overlay.exchange(nil)
    {
      DeferredRelease.dispose(of: values)
    }
  }

  // MARK: The model

  /// The model, retained; nil while it is deinitialised.
  var model: AnyObject? { owner.live }

  /// Whether the storage belongs to a model, which may be being deinitialised.
  var hasModel: Bool { owner.isSet }

  /// Whether the model is being deinitialised.
  var isDeinitialising: Bool { hasModel && model == nil }

  /// Whether changes of the model can be tracked. A model that is being deinitialised can't: what
  /// its deinitialiser changes is not saved.
  var canBeTracked: Bool { !flags.isDisjoint(with: .isPending) || !isDeinitialising }

  /// Whether the model's class is that of the descriptor. The descriptor of a subclass without
  /// `@Model` is that of its superclass.
  var hasDescribedClass: Bool { owner.isInstance(of: descriptor.type) }

  func belong(to model: AnyObject) { owner = ModelReference(model) }

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

  // MARK: Identity

  /// The identifier, created at the first use for a model that has never been saved.
  var identifier: PersistentIdentifier {
    if let knownIdentifier { return knownIdentifier }
    let made = PersistentIdentifier(temporaryFor: descriptor.entityName)
    knownIdentifier = made
    if let source { made.temporaryScope?.begin(self, in: source) }
    return made
  }

  /// Gives the storage an identifier. A storage in a context gets one from the transitions of
  /// `ModelLifeCycle.swift` only.
  func identify(as identifier: PersistentIdentifier) { knownIdentifier = identifier }

  /// The storage no longer owns its identifier; the next use creates another one.
  func forgetIdentifier() { knownIdentifier = nil }

  /// The context's table in which this storage is found by key.
  var table: RowRegistry? {
    get { registry?.takeUnretainedValue() }
    set { registry = newValue.map(Unmanaged.passUnretained) }
  }

  // MARK: Rows

  var row: UnsafeRawPointer? { rowView.row }

  var page: RowPage? { rowView.page }

  /// A row of a few properties, while the whole row has not been read.
  var partialRow: UnsafeRawPointer? { rowView.partialRow }

  /// The whole row, if it is in memory.
  var reader: RowReader? { rowView.reader(descriptor) }

  /// The row in memory that contains a slot, whole or partial.
  func knownRow(for slot: Int) -> RowReader? { rowView.reader(for: slot, descriptor) }

  /// Whether the partial row contains a slot.
  func partialRowHas(_ slot: Int) -> Bool { rowView.partialRowHas(slot, descriptor) }

  /// The row to read `slot` from, faulted if needed; `nil` if there is none.
  @inlinable
  func readableRow(for slot: Int) -> RowReader? {
    if let row = rowView.row {
      return RowReader(row: row, cellsOffset: descriptor.cellsOffset)
    }
    return faultedRow(for: slot)
  }

  @usableFromInline
  func faultedRow(for slot: Int) -> RowReader? {
    if let partial = rowView.partialReader(for: slot, descriptor) { return partial }
    guard flags.contains(.isFault), let source else { return nil }
    source._fill(self)
    if flags.contains(.isFault) { noteUnreadableStore(slot) }
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

  /// Reads the rest of a partial row, so that a copy of the values is complete.
  func completePartialRow() {
    if partialRow != nil, flags.contains(.isFault) { source?._fill(self) }
  }

  /// Whether a model without a row has the values to be stored again: those of its last row, or set
  /// ones. One that was still a fault when its row was deleted has none.
  var hasLastValues: Bool {
    if row != nil || descriptor.properties.allSatisfy(\.isEphemeral) { return true }
    // A fault keeps its ephemeral values, which say nothing about the row.
    if overlay.isEmpty(besides: descriptor.ephemeralSlots) { return false }
    return descriptor.properties.indices.allSatisfy { slot in
      let property = descriptor.properties[slot]
      guard case .unset = overlaid(slot), property.destination == nil else { return true }
      return property.isEphemeral || property.isOptional && partialRow == nil || partialRowHas(slot)
    }
  }

  // MARK: Values

  /// Slots that differ from the store.
  var changedSlots: SlotSet { overlay.changedSlots }

  /// The changed or decoded value of a slot; `.unset` if the row has it.
  @inlinable
  func overlaid(_ slot: Int) -> _SlotValue {
    guard let values = overlay.values, slot < values.count else { return .unset }
    return values[slot]
  }

  /// Puts a value over the row.
  @usableFromInline
  func overlay(_ value: consuming _SlotValue, at slot: Int) {
    #if OPENSWIFTDATA_INVARIANTS
      RelationshipValues._invariantCheck(value, at: slot, of: descriptor)
    #endif
    overlay.set(value, at: slot, slotCount: descriptor.slotCount)
  }

  /// Puts a value over the row, after the context was asked to track the change.
  func change(_ slot: Int, to value: consuming _SlotValue) {
    if observers != nil {
      if ignores(value, at: slot) { return }
      willSet(slot, isNull: value.isNull)
    }
    if let source { source._willChange(self, slot: slot) }
    overlay(value, at: slot)
    if observers != nil { didSet(slot) }
  }

  /// A scalar by slot, from the overlay or the row; `nil` for null, for a value that does not fit
  /// the type, and without a row.
  @inlinable
  func scalar<V: _ScalarAttribute>(_ slot: Int) -> V? {
    if overlay.values != nil, let value: V? = overlaidScalar(slot) { return value }
    guard let row = readableRow(for: slot) else { return nil }
    if row.isNull(slot) { return row.isExternal(slot) ? externalScalar(slot) : nil }
    if let value = V._read(row, slot) { return value }
    noteUnreadable(slot)
    return nil
  }

  /// The outer nil means that the row has the value.
  @inlinable
  func overlaidScalar<V: _ScalarAttribute>(_ slot: Int) -> V?? {
    switch overlaid(slot) {
    case .unset: nil
    case let value: .some(V._unwrap(value))
    }
  }

  /// Runs `body` while the model has the values of an earlier time.
  func withValues<R>(_ earlier: ContiguousArray<_SlotValue>?, _ body: () -> R) -> R {
    let unsaved = overlay.exchange(earlier)
    defer { overlay.exchange(unsaved) }
    return body()
  }

  /// Takes the values that the initialiser of a superclass has set.
  func takeValues(of inherited: _ModelStorage) {
    for slot in 0..<inherited.descriptor.slotCount {
      let value = inherited.row == nil ? inherited.overlaid(slot) : inherited.explicitValue(slot)
      if case .unset = value { continue }
      overlay(value, at: slot)
    }
    if observers == nil { observers = inherited.observers }
  }

  /// The related models that the overlay has in memory.
  var relationships: RelationshipValues { RelationshipValues(storage: self) }
}
