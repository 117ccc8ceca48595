import Foundation
import OpenSwiftDataRowStorage

extension DefaultSnapshot {
  /// The value of a cell, from the changes or from the row.
  func value(_ cell: Int) -> _SlotValue {
    if let cells, cell < cells.count {
      switch cells[cell] {
      case .unset: break
      case let value: return value
      }
    }
    guard let row else { return .null }
    let reader = RowReader(row: row, cellsOffset: descriptor.layout.cellsOffset)
    if reader.isNull(cell) { return .null }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(reader.integer(cell))
    case .real: .real(reader.real(cell))
    case .text: .text(reader.text(cell))
    case .blob: .blob(Data(reader.bytes(cell)))
    }
  }
}
