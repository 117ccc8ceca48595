/// A primary key and the number of its entity, packed into one integer.
///
/// The lower 48 bits hold the key, the upper 16 the entity number. Number 0 means that the entity
/// is not known.
@frozen
public struct PackedKey: Hashable, Sendable {
  /// Key and entity number in one integer, as a cell stores them.
  public let word: Int64

  /// The largest key that fits into 48 bits.
  package static let largestKey: Int64 = 0xFFFF_FFFF_FFFF

  /// Makes a key from the content of a cell.
  @inlinable
  public init(word: Int64) { self.word = word }

  /// Packs a key and an entity number. Does not check that they fit.
  @inlinable
  public init(key: Int64, entity: Int64) {
    word = key & 0xFFFF_FFFF_FFFF | entity << 48
  }

  /// The primary key.
  @inlinable
  public var key: Int64 { word & 0xFFFF_FFFF_FFFF }

  /// The number of the entity; 0 when it is not known.
  @inlinable
  public var entity: Int64 { word >> 48 }
}
