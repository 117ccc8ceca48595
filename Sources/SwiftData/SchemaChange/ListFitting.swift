import Foundation

/// Whether a stored list, set or dictionary can be a value of another type without a change of its contents.
///
/// It is read as the type and written again: both texts must have the same members. So `[300]` is no `[Int8]`,
/// and `[1, 1]` no `Set<Int>`.
enum ListFitting {
  static func fits(_ type: any Decodable.Type, _ bytes: Data) -> Bool {
    let type = unwrappedType(of: type) as? any Decodable.Type ?? type
    guard let value = ValueDecoding.encoded(type, bytes: bytes) as? any Encodable,
      let stored = ValueDecoding.encoded(Contents.self, bytes: bytes) as? Contents,
      let text = try? EncodedCoding.encode(value),
      let written = try? EncodedCoding.decode(Contents.self, from: text)
    else { return false }
    // The members of a set are written in any order.
    guard Mirror(reflecting: value).displayStyle == .set else { return stored == written }
    guard case .list(let earlier) = stored, case .list(let members) = written else { return false }
    return earlier.count == members.count && Set(earlier) == Set(members)
  }

  /// A value as its text has it, whatever its type.
  private enum Contents: Decodable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case list([Contents])
    case dictionary([String: Contents])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      func decoded<T: Decodable>(_ make: (T) -> Contents) -> Contents? {
        (try? container.decode(T.self)).map(make)
      }
      self =
        container.decodeNil()
        ? .null
        : try decoded(Contents.bool) ?? decoded(Contents.integer) ?? decoded(Contents.unsigned)
          ?? decoded(Contents.number) ?? decoded(Contents.text) ?? decoded(Contents.list)
          ?? .dictionary(container.decode([String: Contents].self))
    }
  }
}
