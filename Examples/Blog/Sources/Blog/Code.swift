import Foundation
import Synchronization

/// Short identifiers for URLs: 26 characters, which ascend with time.
///
/// 48 bits of milliseconds and 80 random bits, in Crockford's base 32. Those of one process ascend also within
/// a millisecond. A code is no secret. It stays the same when the rows move to another database, unlike a row
/// number.
enum Code {
  private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private static let length = 26

  private static let last = Mutex<UInt128>(0)

  static func next() -> String {
    var value = UInt128(UInt64(Date.now.timeIntervalSince1970 * 1000)) << 80
    value |= UInt128(UInt64.random(in: .min ... .max)) << 16
    value |= UInt128(UInt16.random(in: .min ... .max))
    value = last.withLock { last in
      last = max(value, last + 1)
      return last
    }
    var text: [UInt8] = []
    for shift in stride(from: (length - 1) * 5, through: 0, by: -5) {
      text.append(digits[Int(truncatingIfNeeded: value >> UInt128(shift)) & 31])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text from a URL can be a code, so that other texts never reach the store.
  static func isValid(_ text: String) -> Bool {
    text.utf8.count == length && text.utf8.allSatisfy(digits.contains)
  }
}
