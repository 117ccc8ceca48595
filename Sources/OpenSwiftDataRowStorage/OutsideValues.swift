package import Foundation

/// Reads values that rows name and do not have: large ones, which are kept in files.
///
/// A page holds what its rows are read with, so a row can be read as long as it lives, whoever has it.
package protocol OutsideValues: AnyObject, Sendable {
  /// The bytes of a value; `nil` when they are not there any more.
  func content(named name: String) -> Data?

  /// Keeps some values readable, and lets go of them with the result.
  func keeping(_ names: [String]) -> any OutsideValues
}

extension OutsideValues {
  /// What a column has, with the value itself in place of its name: bytes that outlive the file, for copies
  /// of a value that is deleted. `nil` when the file is gone.
  package func embedded(_ column: Data) -> Data? {
    let name = column.withUnsafeBytes { bytes -> String? in
      guard case .name(let name) = TaggedValue(bytes) else { return nil }
      return String(decoding: name, as: UTF8.self)
    }
    guard let name else { return column }
    return content(named: name).map { Data([TaggedValue.valueTag]) + $0 }
  }
}
