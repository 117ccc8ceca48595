package import Foundation

/// The content of `Z_MODELCACHE`: a compressed keyed archive of the whole model.
package enum ModelCache {
  /// The maximum size of a decompressed archive.
  private static let largest = 64 << 20

  package static func decode(_ content: Data) throws(FormatError) -> ModelDescription {
    let archive = try KeyedArchive(Deflate.inflate(content, limit: largest))
    var reader = ModelCacheReader(archive)
    return try reader.model()
  }

  /// Omits what SwiftData models never have: the expressions of derived attributes, the requests of
  /// fetched properties, and defaults that are objects of the app's classes.
  package static func encode(_ model: ModelDescription) throws(FormatError) -> Data {
    var writer = ModelCacheWriter(model)
    return try Deflate.deflate(writer.archive())
  }
}

/// The bits of the byte `_P` of a property for optional, read-only and transient, and its other
/// bits.
enum PropertyFlags {
  static let plain: Int64 = 0xF1
  static let optional: Int64 = 0x02
  static let readOnly: Int64 = 0x04
  static let transient: Int64 = 0x08
  /// Not set if there is a `userInfo`.
  static let noUserInfo: Int64 = 0x40
}

/// Bits of `NSFlagsKey`.
enum AttributeFlags {
  static let preservesValueOnDeletion: Int64 = 16
}
