import Foundation

/// The indices of values that an archive or a property list has once, however often they occur.
/// Used by `KeyedArchiveWriter` and `BinaryPlist.encode`.
struct UniquedValues {
  /// By a text that is different for each value. Keys are bytes, because Swift considers texts with
  /// different encodings equal.
  private var indices: [Data: Int] = [:]

  /// The index of an equal value that was added before.
  ///
  /// - Parameter index: The index of the value if there is none.
  /// - Returns: `nil` if the value is new.
  mutating func earlierIndex(of value: PropertyList, or index: Int) -> Int? {
    let text: String
    switch value {
    case .string(let string): text = "s" + string
    case .integer(let number): text = "i\(number)"
    case .unsigned(let number): text = "u\(number)"
    case .uid(let place): text = "r\(place)"
    case .bool(let flag): text = flag ? "t" : "f"
    case .real, .date, .data, .array, .dictionary: return nil
    }
    let key = Data(text.utf8)
    if let earlier = indices[key] { return earlier }
    indices[key] = index
    return nil
  }
}
