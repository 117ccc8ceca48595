public import Foundation

/// A stored value as plain data: a property of a snapshot, or a constant in a query.
///
/// Two values are equal if they have the same case and equal content: texts by canonical
/// equivalence, numbers as Swift compares them.
///
/// | a property of this type | has this value |
/// |---|---|
/// | an optional without a value | `null` |
/// | signed and unsigned integers of up to 64 bits | `integer`, `unsigned` |
/// | `Int128`, `UInt128` | `decimal` |
/// | `Double`, `Float` | `double` |
/// | an enumeration or structure with a raw value | its raw value |
/// | an array or a set | `list`; the elements of a set are sorted |
/// | a dictionary | `composite` if its keys are encoded as texts; else a `list` of keys and values |
/// | any other `Codable` type | what it encodes: `composite`, `list` or a single value |
/// | a transformed value | `data`, the bytes that its transformer makes |
/// | a relationship | `identifier`, or a `list` of these |
///
/// The encoded form is an object whose only key is the name of the case, for example
/// `{"string": "Rome"}`. It does not depend on the strategies of the encoder. Dates are seconds
/// since the beginning of 2001 (UTC), data is Base64, decimals are texts; so are infinities, `nan`
/// and the negative zero.
///
/// Not in Apple's framework.
public indirect enum DataStoreValue: Hashable, Sendable {
  /// `nil`.
  case null
  /// A `Bool`.
  case boolean(Bool)
  /// A signed integer of up to 64 bits.
  case integer(Int64)
  /// An unsigned integer of up to 64 bits.
  case unsigned(UInt64)
  /// A binary floating-point number.
  case double(Double)
  /// A `Decimal`, or an integer of 128 bits.
  case decimal(Decimal)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A `Date`.
  case date(Date)
  /// A `UUID`.
  case uuid(UUID)
  /// A `URL`. The encoded form has its absolute text.
  case url(URL)
  /// A row: the value of a to-one relationship, or a captured model or identifier.
  case identifier(PersistentIdentifier)
  /// The elements of an array, of a set or of a to-many relationship.
  case list([DataStoreValue])
  /// The parts of a `Codable` value, or the entries of a dictionary, by their keys.
  case composite([String: DataStoreValue])

  /// Whether the value is `nil`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
