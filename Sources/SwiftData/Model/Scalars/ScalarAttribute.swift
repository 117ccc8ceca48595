public import OpenSwiftDataRowStorage

/// A type that fills one cell of a row, read and written without Codable.
///
/// Generated accessors specialise its requirements in the user's module. `ScalarCoding` says how
/// such values are stored, `ScalarTraits` contains what else is known about them.
public protocol _ScalarAttribute: Codable {
  /// Reads a cell that is not null; `nil` if its content does not fit the type.
  static func _read(_ row: RowReader, _ cell: Int) -> Self?
  /// The value of a slot; `nil` if the slot contains another kind.
  static func _unwrap(_ slot: _SlotValue) -> Self?
  /// This value as a slot keeps it.
  var _slotValue: _SlotValue { get }
  /// The value of a required property that has none.
  static var _empty: Self { get }
}
