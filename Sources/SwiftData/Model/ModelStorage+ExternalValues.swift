import Foundation
import OpenSwiftDataRowStorage

/// Loads values stored outside the row, in files. Called by the getters that `@Model` generates.
/// Loaded values are not kept, so a model needs no more memory afterwards.
extension _ModelStorage {
  /// Whether the shown row has the name of a value that is stored outside it.
  func isExternal(_ slot: Int) -> Bool { knownRow(for: slot)?.isExternal(slot) ?? false }

  /// The bytes of a value stored outside the row; nil if they no longer exist, or if a null has
  /// replaced them.
  func externalContent(_ slot: Int) -> Data? {
    if let content = knownRow(for: slot)?.externalContent(slot, page) { return content }
    // Another writer may have replaced the value since the row was read.
    guard let source, !isDeinitialising else { return nil }
    source._reread(self)
    guard let row = knownRow(for: slot) else { return nil }
    return row.isNull(slot) ? row.externalContent(slot, page) : Data(row.bytes(slot))
  }

  /// A scalar that is stored outside the row.
  @usableFromInline
  func externalScalar<V: _ScalarAttribute>(_ slot: Int) -> V? {
    if let content = externalContent(slot),
      let type = V.self as? any ScalarCoding.Type,
      let value = type.init(storedValue: descriptor.layout.stored(content, slot)) as? V
    {
      return value
    }
    noteUnreadable(slot)
    return nil
  }

  func knownRow(for slot: Int) -> RowReader? {
    if let reader { return reader }
    guard let partialRow, partialRowHas(slot) else { return nil }
    return RowReader(row: partialRow, cellsOffset: descriptor.cellsOffset)
  }

  /// Keeps values outside the row readable as long as the row is shown, though a save is about to
  /// delete them.
  func keepExternalValues() {
    if flags.contains(.isFault), overlay != nil { source?._fill(self) }
    guard let reader, let page, let outside = page.outside else { return }
    let names = descriptor.externalSlots.filter(reader.isExternal).map(reader.text)
    if !names.isEmpty { self.page = RowPage(page, outside: outside.keeping(names)) }
  }

  /// Drops values that a save stored outside the row; the next read gets the row with their names.
  func forgetStored(_ slots: SlotSet) {
    for slot in descriptor.externalSlots where slots.contains(slot) { overlay(.unset, at: slot) }
    show(page: nil, row: nil)
    expectRow()
  }
}

extension RowReader {
  /// The bytes of a value stored outside the row; nil for a value in the row, and if the value no
  /// longer exists.
  func externalContent(_ cell: Int, _ page: RowPage?) -> Data? {
    guard let outside = page?.outside, isExternal(cell) else { return nil }
    return outside.content(named: text(cell))
  }
}

extension RowLayout {
  /// Bytes stored outside a row, in the form that the cell would have.
  func stored(_ content: Data, _ cell: Int) -> _StoredValue {
    kinds[cell] == .text ? .text(String(decoding: content, as: UTF8.self)) : .blob(content)
  }
}
