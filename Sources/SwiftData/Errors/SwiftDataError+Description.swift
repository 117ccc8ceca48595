public import Foundation

extension SwiftDataError: CustomStringConvertible, CustomDebugStringConvertible {
  /// What went wrong, for which entity and property, and what to do.
  public var description: String {
    var text = kind.summary
    if let place { text += " (\(place))" }
    if let operation = occasion.operation { text += " while \(operation)" }
    return text + ". " + explanation
  }

  /// The description without the kind: what is wrong, what to do, and the cause.
  package var explanation: String {
    guard let cause = occasion.underlying else { return ownExplanation }
    return ownExplanation + " Cause: \(Self.sentence(causeText(cause)))"
  }

  /// The description without the summary of the kind.
  var ownExplanation: String { occasion.detail.map(Self.sentence) ?? kind.advice }

  /// The description, preceded by the name of the error.
  public var debugDescription: String {
    "SwiftDataError.\(kind.rawValue): \(description)"
  }

  /// The entity and the property that the error is about.
  private var place: String? {
    switch (entity, property) {
    case (let entity?, let property?): "\(entity).\(property)"
    case (let entity?, nil): entity
    case (nil, let property?): property
    case (nil, nil): nil
    }
  }

  private static func sentence(_ text: String) -> String {
    text.last.map { ".!?".contains($0) } == true ? text : text + "."
  }
}

extension SwiftDataError: LocalizedError {
  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
