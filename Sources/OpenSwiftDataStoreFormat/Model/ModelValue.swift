package import Foundation

/// A default value in a model description, as the model cache of a file stores it.
package indirect enum ModelValue: Equatable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case data(Data)
  /// Seconds since 2001-01-01.
  case date(Double)
  case uuid(UUID)
  case url(String)
  /// The text of a decimal number.
  case decimal(String)
  case array([ModelValue])
  case dictionary([String: ModelValue])
  /// An object of a class of the app.
  case object(className: String)
}
