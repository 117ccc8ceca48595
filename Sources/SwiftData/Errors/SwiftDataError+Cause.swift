import Foundation

extension SwiftDataError {
  /// The text of an underlying error, as the end of this error's description. An error of the same
  /// kind does not repeat the summary. Decoding errors name the coding path but not the value.
  func causeText(_ error: any Error) -> String {
    switch error {
    case let error as SwiftDataError:
      error.kind == kind ? error.ownExplanation : error.description
    case let error as DatabaseFailure: error.cause
    case let error as DecodingError: Self.text(of: error)
    case let error as EncodingError: Self.text(of: error)
    case let error as CocoaError: Self.text(of: error)
    case let error as POSIXError: error.localizedDescription
    default: String(describing: error)
    }
  }

  /// The system's message. Foundation's error wraps it together with the path.
  private static func text(of error: CocoaError) -> String {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    return (cause ?? error).localizedDescription
  }

  private static func text(of error: DecodingError) -> String {
    switch error {
    case .typeMismatch(let type, let context):
      "the stored value\(place(context.codingPath)) is not of the type \(type)"
    case .valueNotFound(let type, let context):
      "there is no value of \(type)\(place(context.codingPath))"
    case .keyNotFound(let key, let context):
      "there is no value\(place(context.codingPath + [key]))"
    case .dataCorrupted(let context):
      "the stored value\(place(context.codingPath)) can't be decoded"
    @unknown default: "a stored value can't be decoded"
    }
  }

  private static func text(of error: EncodingError) -> String {
    switch error {
    case .invalidValue(let value, let context)
    where context.codingPath.isEmpty && context.debugDescription == depthFailure:
      "a value of \(type(of: value)) can't be encoded as JSON, which may have 512 levels of arrays and objects"
    case .invalidValue(let value, let context):
      "a value of \(type(of: value))\(place(context.codingPath)) can't be encoded"
    @unknown default: "a value can't be encoded"
    }
  }

  /// What `JSONEncoder` says of a value that encodes without an error, but is nested too deeply.
  private static let depthFailure = "Unable to encode the given top-level value to JSON."

  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "" : " at '\(path.map(\.stringValue).joined(separator: "."))'"
  }
}
