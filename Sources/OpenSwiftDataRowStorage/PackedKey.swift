/// A primary key together with the number of its entity, in one integer.
///
/// The key is in the lower 48 bits, the number in the upper 16. A number of 0 says nothing about the entity.
@frozen
public struct PackedKey: Hashable, Sendable {
  /// Both in one integer, as a cell of a row holds it.
  public let word: Int64

  /// The largest key that there is room for.
  package static let largestKey: Int64 = 0xFFFF_FFFF_FFFF

  /// Reads what a cell holds.
  @inlinable
  public init(word: Int64) { self.word = word }

  /// Packs a key and an entity number.
  @inlinable
  public init(key: Int64, entity: Int64) {
    word = key & 0xFFFF_FFFF_FFFF | entity << 48
  }

  /// The primary key.
  @inlinable
  public var key: Int64 { word & 0xFFFF_FFFF_FFFF }

  /// The number of the entity; 0 when it is not there.
  @inlinable
  public var entity: Int64 { word >> 48 }
}
