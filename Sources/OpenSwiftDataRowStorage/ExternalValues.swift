package import Foundation

/// Loads values stored outside the row, in files.
///
/// A page retains the object that loads the outside values of its rows, so a row can be read as
/// long as its page lives.
package protocol ExternalValues: AnyObject, Sendable {
  /// The bytes of a value; `nil` when its file no longer exists.
  /// - Throws: The error of the system if the file can't be read now, although it may exist.
  func content(named name: String) throws -> Data?

  /// Keeps the named values readable for as long as the result lives.
  func keeping(_ names: [String]) -> any ExternalValues
}

extension ExternalValues {
  /// The content of a column, with the value in place of its name, so that it outlives the file:
  /// for copies of a value that is deleted. `nil` when the file no longer exists.
  package func embedded(_ column: Data) throws -> Data? {
    let name = column.withUnsafeBytes { bytes -> String? in
      guard case .name(let name) = TaggedValue(bytes) else { return nil }
      return String(decoding: name, as: UTF8.self)
    }
    guard let name else { return column }
    return try content(named: name).map { Data([TaggedValue.valueTag]) + $0 }
  }
}
