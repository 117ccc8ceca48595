/// Bytes that do not have the expected format.
package struct FormatError: Error, Equatable, CustomStringConvertible {
  /// The problem, as a sentence without stored values.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
