/// Bytes that are not what they should be.
package struct FormatError: Error, Hashable, CustomStringConvertible {
  /// What is wrong, as a sentence that quotes no stored value.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
