public import OpenSwiftDataRowStorage

/// The row that a model shows: a whole row, a row of a few of its properties, or none yet. The row of
/// a new model is one that the context has made of its values.
///
/// Part of a `_ModelStorage`, which passes its descriptor. Getters read cells through it;
/// `ModelLifeCycle.swift` decides when a model gets another row.
///
/// Invariants: there is at most one row, whole or partial, and the page of the row is retained.
@usableFromInline
struct RowView {
  /// The whole row.
  @usableFromInline private(set) var row: UnsafeRawPointer?
  /// The page of the row, whole or partial.
  @usableFromInline private(set) var page: RowPage?
  /// A row in `page` that has a few of the properties, while the whole row has not been read.
  private(set) var partialRow: UnsafeRawPointer?

  // MARK: Transitions

  /// Shows a whole row.
  mutating func replace(with row: UnsafeRawPointer?, of page: RowPage?) {
    self.page = page
    self.row = row
    partialRow = nil
    _invariantCheck()
  }

  /// Shows a row of a few properties.
  mutating func replace(withPartial row: UnsafeRawPointer, of page: RowPage) {
    self.page = page
    self.row = nil
    partialRow = row
    _invariantCheck()
  }

  /// Shows no row.
  mutating func clear() { replace(with: nil, of: nil) }

  /// Keeps values outside the row readable as long as the row is shown, though a save is about to
  /// delete them.
  mutating func keepExternalValues(_ descriptor: _ModelDescriptor) {
    guard let reader = reader(descriptor), let page, let outside = page.outside else { return }
    let names = descriptor.externalSlots.filter(reader.isExternal).map(reader.text)
    if !names.isEmpty { self.page = RowPage(page, outside: outside.keeping(names)) }
  }

  private func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(row == nil || partialRow == nil, "A model has a whole and a partial row.")
      precondition(
        page != nil || (row ?? partialRow) == nil, "A model has a row without its page.")
    #endif
  }

  // MARK: Reading

  /// The whole row.
  func reader(_ descriptor: _ModelDescriptor) -> RowReader? {
    row.map { RowReader(row: $0, cellsOffset: descriptor.cellsOffset) }
  }

  /// The partial row, if it contains `slot`.
  func partialReader(for slot: Int, _ descriptor: _ModelDescriptor) -> RowReader? {
    guard let partialRow, partialRowHas(slot, descriptor) else { return nil }
    return RowReader(row: partialRow, cellsOffset: descriptor.cellsOffset)
  }

  /// The row in memory that contains `slot`, whole or partial.
  func reader(for slot: Int, _ descriptor: _ModelDescriptor) -> RowReader? {
    reader(descriptor) ?? partialReader(for: slot, descriptor)
  }

  /// Whether the partial row contains `slot`, with a value or null.
  func partialRowHas(_ slot: Int, _ descriptor: _ModelDescriptor) -> Bool {
    guard partialRow != nil, let page else { return false }
    if page.fills(slot) { return true }
    guard let leaf = descriptor.properties[slot].leafCells.first else { return false }
    return page.fills(leaf)
  }

  /// Whether the whole row has other values in the cells of the partial one.
  func partialRowDiffers(
    from row: UnsafeRawPointer?, _ descriptor: _ModelDescriptor
  ) -> Bool {
    guard let partialRow, let page, let row else { return false }
    return !descriptor.layout.cellsAgree(partialRow, row) { page.fills($0) }
  }

  /// The slots of the partial row that have other values in the whole row.
  func partialSlotsDiffering(
    from row: UnsafeRawPointer?, _ descriptor: _ModelDescriptor
  ) -> SlotSet {
    var slots = SlotSet()
    guard let partialRow, let page, let row else { return slots }
    for (slot, property) in descriptor.properties.enumerated() {
      let agrees = descriptor.layout.cellsAgree(partialRow, row) { cell in
        page.fills(cell) && (cell == slot || property.leafCells.contains(cell))
      }
      if !agrees { slots.insert(slot) }
    }
    return slots
  }
}
