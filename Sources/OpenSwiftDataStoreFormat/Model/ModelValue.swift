package import Foundation

/// A value that a model description has: a default, as the model cache of a file keeps it.
package indirect enum ModelValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case data(Data)
  /// Seconds since 2001.
  case date(Double)
  case uuid(UUID)
  case url(String)
  /// The text of a decimal number.
  case decimal(String)
  case array([ModelValue])
  case dictionary([String: ModelValue])
  /// An object of a class that only the app knows.
  case object(className: String)
}
