package import Foundation

/// A property list, including the references of keyed archives.
package enum PropertyList: Equatable, Sendable {
  case bool(Bool)
  case integer(Int64)
  /// Only for numbers beyond `Int64.max`.
  case unsigned(UInt64)
  case real(Double)
  /// Seconds since 2001-01-01.
  case date(Double)
  case data(Data)
  case string(String)
  case array([PropertyList])
  case dictionary([String: PropertyList])
  /// The index of an object in a keyed archive.
  case uid(Int)

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  package var data: Data? {
    if case .data(let data) = self { data } else { nil }
  }

  package var array: [PropertyList]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var dictionary: [String: PropertyList]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }
}
