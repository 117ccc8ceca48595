import Foundation
import OpenSwiftDataStoreFormat

/// Values that are stored whole in one column. They are written as keyed archives: lists of texts
/// and of data as arrays, everything else as data with the value's JSON.
///
/// Readable are these, archives of property lists from other programs, and JSON without an archive.
enum ArchivedCoding {
  static func encode(_ value: any Encodable) throws -> Data {
    if type(of: value) == [String].self, let texts = value as? [String] {
      return ArrayArchive.archive(texts)
    }
    if type(of: value) == [Data].self, let list = value as? [Data] {
      return ArrayArchive.archive(list)
    }
    return ArrayArchive.archive(content: try EncodedCoding.encode(value))
  }

  static func decode<T: Decodable>(
    _ type: T.Type, from bytes: UnsafeRawBufferPointer
  ) -> T? {
    guard ArrayArchive.isArchive(bytes) else {
      return try? EncodedCoding.decode(type, from: Data(bytes))
    }
    if type == [String].self {
      if let texts = texts(in: bytes) { return texts as? T }
    } else if type == [Data].self, let list = ArrayArchive.data(in: bytes) {
      return list as? T
    }
    if let content = ArrayArchive.content(of: bytes) {
      return try? EncodedCoding.decode(type, from: Data(content))
    }
    guard let archive = try? KeyedArchive(Data(bytes)),
      let value = archive.modelValue(archive.root),
      let json = try? EncodedCoding.encode(ArchivedValue(value: value))
    else { return nil }
    return try? EncodedCoding.decode(type, from: json)
  }

  private static func texts(in bytes: UnsafeRawBufferPointer) -> [String]? {
    if ArrayArchive.isEmptyList(bytes) { return [] }
    return ArrayArchive.strings(in: bytes)
  }
}

/// An archived property list, as JSON from which the property's own type is decoded.
private struct ArchivedValue: Encodable {
  var value: ModelValue

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(ArchivedValue(value: element)) }
    case .dictionary(let entries):
      try entries.mapValues(ArchivedValue.init).encode(to: encoder)
    default:
      var container = encoder.singleValueContainer()
      try encode(into: &container)
    }
  }

  private func encode(into container: inout any SingleValueEncodingContainer) throws {
    switch value {
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .real(let number), .date(let number): try container.encode(number)
    case .string(let text), .url(let text): try container.encode(text)
    case .data(let data): try container.encode(data)
    case .uuid(let uuid): try container.encode(uuid)
    case .decimal(let text): try container.encode(Decimal(string: text) ?? .nan)
    case .array, .dictionary: break
    case .object(let className):
      throw FormatError("An object of the class \(className) is not a value.")
    }
  }
}
