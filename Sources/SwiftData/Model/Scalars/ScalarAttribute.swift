public import OpenSwiftDataRowStorage

/// A type that fills one cell of a row, read and written without Codable.
///
/// Generated accessors specialise its requirements in the user's module. How such values are stored is
/// `ScalarCoding`, what else is known of them `ScalarTraits`.
public protocol _ScalarAttribute: Codable {
  /// Reads a cell that is not null; `nil` when what it has does not fit the type.
  static func _read(_ row: RowReader, _ cell: Int) -> Self?
  /// The value of a slot; `nil` when the slot holds another kind.
  static func _unwrap(_ slot: _SlotValue) -> Self?
  /// This value as a slot keeps it.
  var _slotValue: _SlotValue { get }
  /// What a required property without any value reads as.
  static var _empty: Self { get }
}
