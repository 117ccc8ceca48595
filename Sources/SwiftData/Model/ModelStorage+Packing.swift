import Foundation
import OpenSwiftDataRowStorage

/// How the values of a new model move from the overlay into a row, which takes about half the memory.
///
/// Called by the context for models that wait for their first save (`NewModelPacker`). The getters of
/// the model read the row as they read a fetched one, and the save binds its cells without copying
/// them. An edit puts a new value over the row.
extension _ModelStorage {
  /// Moves all values into a row, if the model can show each of them from there without a
  /// difference and the row is not larger than the overlay.
  func packValues(into builder: inout RowBuilder) {
    guard descriptor.packsNewValues, flags.contains(.isInserted),
      flags.isDisjoint(with: [.isFault, .hasNoRow]), page == nil, let values = overlay.values
    else { return }
    let limit = values.count * MemoryLayout<_SlotValue>.stride
    builder.begin()
    // Buffers: the arrays are not retained for each value.
    let isPacked = values.withUnsafeBufferPointer { values in
      descriptor.layout.kinds.withUnsafeBufferPointer { kinds in
        values.indices.allSatisfy { slot in
          if case .null = values[slot], descriptor.requiredSlots.contains(slot) { return false }
          return builder.pack(values[slot], kinds[slot], at: slot, limit)
        }
      }
    }
    if !isPacked { return }
    let finished = builder.finish()
    rowView.replace(with: finished.row, of: finished.page)
    overlay.clear()
  }
}

extension RowBuilder {
  /// - Parameter limit: The maximum size of the row.
  /// - Returns: Whether the cell shows the value as the overlay does. A row can't have a value that
  ///   was never set. A number that is not a number is kept in the overlay, where `Validation`
  ///   finds it.
  fileprivate mutating func pack(
    _ value: _SlotValue, _ kind: CellKind, at cell: Int, _ limit: Int
  ) -> Bool {
    switch (value, kind) {
    case (.null, _): setNull(at: cell)
    case (.integer(let value), .integer): setInteger(value, at: cell)
    case (.real(let value), .real):
      setReal(value, at: cell)
      return !value.isNaN
    case (.text(let value), .text):
      guard rowSize + value.utf8.count <= limit else { return false }
      setText(value, at: cell)
    case (.blob(let value), .blob):
      guard rowSize + value.count <= limit else { return false }
      setData(value, at: cell)
    case (.uuid(let value), .blob): setUUID(value, at: cell)
    default: return false
    }
    return true
  }
}

extension RowBuilder {
  mutating func setText(_ value: String, at cell: Int) {
    var text = value
    text.withUTF8 { setBytes(UnsafeRawBufferPointer($0), at: cell) }
  }

  mutating func setData(_ value: Data, at cell: Int) {
    value.withUnsafeBytes { setBytes($0, at: cell) }
  }

  mutating func setUUID(_ value: UUID, at cell: Int) {
    withUnsafeBytes(of: value.uuid) { setBytes($0, at: cell) }
  }
}
