import Foundation
import Synchronization

/// Whether the elements of stored lists are stored as their raw values: a list is encoded by the `encode(to:)` of its
/// elements, which may write another form.
enum RawValueCoding {
  /// The answer for each type. Values of the type are encoded, so this is done once.
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// The answer for a type of which no values can be made is false.
  static func isThatOfElements<T: RawRepresentable>(_ type: T.Type) -> Bool {
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
    let found = encodesRawValues(type)
    known.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  private static func encodesRawValues<T: RawRepresentable>(_ type: T.Type) -> Bool {
    let values = TypeReflection.values(of: type)?.map(\.value) ?? ValueSamples.values(of: type)
    guard !values.isEmpty, let elements = values as? any Encodable,
      let rawValues = values.map(\.rawValue) as? any Encodable,
      let encoded = try? EncodedCoding.encode(elements)
    else { return false }
    return encoded == (try? EncodedCoding.encode(rawValues))
  }
}
