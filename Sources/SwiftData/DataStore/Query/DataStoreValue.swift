public import Foundation

/// A stored value as plain data: an attribute of a snapshot, or a constant in a query.
///
/// Not in Apple's framework. Two values are equal if they have the same case and the same content.
public indirect enum DataStoreValue: Hashable, Sendable {
  /// `nil`.
  case null
  /// A `Bool`.
  case boolean(Bool)
  /// A signed integer of any width.
  case integer(Int64)
  /// An unsigned integer of any width.
  case unsigned(UInt64)
  /// A `Double`, `Float` or other binary floating-point number.
  case double(Double)
  /// A `Decimal`.
  case decimal(Decimal)
  /// A `String`, or another text.
  case string(String)
  /// A `Data`, or the archive of a transformed value.
  case data(Data)
  /// A `Date`.
  case date(Date)
  /// A `UUID`.
  case uuid(UUID)
  /// A `URL`.
  case url(URL)
  /// A to-one relationship, or a captured model or identifier.
  case identifier(PersistentIdentifier)
  /// An array or a set; a to-many relationship is a list of identifiers.
  case list([DataStoreValue])
  /// A `Codable` structure, or a dictionary, by its keys.
  case composite([String: DataStoreValue])
}
