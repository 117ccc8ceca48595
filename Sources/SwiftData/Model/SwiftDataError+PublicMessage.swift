// None of this is in Apple's framework.

extension SwiftDataError {
  /// What went wrong in a sentence that a server may send to its clients.
  ///
  /// ```swift
  /// // "Another Trip already has this name."
  /// let body = ["error": error.publicMessage]
  /// ```
  ///
  /// It is made from ``reason`` only. It contains names of models and properties, and numbers of
  /// members, but no path, no SQL, no stored value, and no identifier. If one save breaks several
  /// rules, it has a sentence for each. `description` has the details for logs.
  public var publicMessage: String {
    var sentences: [String] = []
    for failure in failures.prefix(SwiftDataError.namedFailures) {
      let sentence = failure.reason.publicSentence
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences.joined(separator: " ")
  }
}

extension SwiftDataError.Reason {
  /// A sentence without path, SQL, stored value and identifier.
  package var publicSentence: String {
    switch self {
    case .uniqueValueTaken("", _, _): "A value is already taken."
    case .uniqueValueTaken(let entity, let properties, _):
      properties.count > 1
        ? "Another \(entity) already has this combination of \(Self.list(properties))."
        : "Another \(entity) already has this \(properties.first ?? "value")."
    case .notFound(let identifiers):
      "The \(Self.entity(of: identifiers)) does not exist, or was deleted."
    case .invalidIdentifier(.unsaved): "The object has not been saved yet."
    case .invalidIdentifier: "The identifier is not valid."
    case .requiredValueMissing("", _): "A required value is missing."
    case .requiredValueMissing(let entity, let properties):
      "The \(entity) needs a value for \(Self.list(properties))."
    case .tooFewMembers(let entity, let property, let minimum, let count):
      "The \(entity) has \(count) \(property), and needs at least \(minimum)."
    case .tooManyMembers(let entity, let property, let maximum, let count):
      "The \(entity) has \(count) \(property), and may have at most \(maximum)."
    case .deletionDenied(let entity, let property):
      "The object can't be deleted, because of the \(property) of \(entity)."
    case .invalidValue(let entity?, let property?):
      "The value for \(property) of \(entity) is not valid."
    case .invalidValue(let entity?, nil): "A value of \(entity) is not valid."
    case .invalidValue: "A value is not valid."
    case .conflict(let conflicts) where !conflicts.isEmpty && conflicts.allSatisfy(\.isDeleted):
      "The \(Self.entity(of: conflicts.map(\.identifier))) was deleted by someone else in the meantime."
    case .conflict(let conflicts):
      "The \(Self.entity(of: conflicts.map(\.identifier))) was changed by someone else in the "
        + "meantime. Read it again, and repeat the change."
    case .invalidRequest, .schemaMismatch, .other:
      "The request failed because of an internal error."
    case .historyExpired: "The changes since then are no longer available. Read everything again."
    case .busy, .timedOut: "The service is busy. Try again in a moment."
    case .cancelled: "The request was cancelled."
    case .unavailable, .closed: "The service is not available at the moment. Try again later."
    case .readOnly: "The service does not accept changes at the moment."
    case .diskFull: "The service has no space left to store the change."
    case .storeDamaged: "The service can't read its data at the moment."
    case .outcomeUnknown:
      "It is not known whether the change was stored. Read the object again before you repeat it."
    case .partiallySaved: "The change was stored in part. Read the data again before you repeat it."
    }
  }

  private static func list(_ names: [String]) -> String {
    switch names.count {
    case 0: "a required property"
    case 1: names[0]
    default: names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    }
  }

  /// The entity of all identifiers, or a word for any.
  private static func entity(of identifiers: [PersistentIdentifier]) -> String {
    let names = Set(identifiers.map(\.entityName))
    return names.count == 1 ? names.first ?? "object" : "object"
  }
}
