import Foundation

extension ValueTransformer {
  /// The bytes that are stored for a value.
  package func storedData(of value: Any) throws -> Data {
    let result = unarchives ? reverseTransformedValue(value) : transformedValue(value)
    switch result {
    case let data as Data: return data
    case let data as NSData: return Data(referencing: data)
    case let text as String: return Data(text.utf8)
    default:
      throw SwiftDataError.modelValidationFailure.with(
        "\(type(of: self)) did not return Data for a value. Return Data from "
          + (unarchives ? "reverseTransformedValue(_:)." : "transformedValue(_:)."))
    }
  }

  /// The value for stored bytes.
  package func value<T>(_ type: T.Type, fromStored data: Data) throws -> T {
    let result = unarchives ? transformedValue(data) : reverseTransformedValue(data)
    guard let value = result as? T else {
      throw SwiftDataError.modelValidationFailure.with(
        "\(Swift.type(of: self)) did not return a \(type) for the stored data. Return a value "
          + "from " + (unarchives ? "transformedValue(_:)." : "reverseTransformedValue(_:)."))
    }
    return value
  }

  /// Unarchiving transformers create objects from data in forward direction; all others create
  /// data.
  private var unarchives: Bool { self is NSSecureUnarchiveFromDataTransformer }
}
