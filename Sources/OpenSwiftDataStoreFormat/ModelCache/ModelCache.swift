package import Foundation

/// The content of `Z_MODELCACHE`: a compressed keyed archive of the whole model.
package enum ModelCache {
  /// The largest archive that is read.
  private static let largest = 64 << 20

  package static func decode(_ content: Data) throws(FormatError) -> ModelDescription {
    let archive = try KeyedArchive(Deflate.inflate(content, limit: largest))
    var reader = ModelCacheReader(archive)
    return try reader.model()
  }

  /// What is in no model of SwiftData is not kept: the expressions of derived attributes, the requests of
  /// fetched properties, defaults that are objects of the app's own classes.
  package static func encode(_ model: ModelDescription) throws(FormatError) -> Data {
    var writer = ModelCacheWriter(model)
    return try Deflate.deflate(writer.archive())
  }
}

/// What stands for optional, read-only and transient in the byte `_P` of a property, and what is in it
/// else.
enum PropertyFlags {
  static let plain: Int64 = 0xF1
  static let optional: Int64 = 0x02
  static let readOnly: Int64 = 0x04
  static let transient: Int64 = 0x08
  /// Missing where there is a `userInfo`.
  static let noUserInfo: Int64 = 0x40
}

/// Bits of `NSFlagsKey`.
enum AttributeFlags {
  static let preservesValueOnDeletion: Int64 = 16
}
