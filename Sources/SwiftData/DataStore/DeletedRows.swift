/// The error of a save that updates rows, or refers to rows, that do not exist any more.
///
/// A store throws it when another writer has deleted the rows, and has saved nothing then. The
/// context drops its edits of these models and its references to them, and saves again. The
/// notification `ModelContext.didOverwrite` names the dropped edits. Not in Apple's framework.
///
/// ```swift
/// let missing = request.updated.map(\.persistentIdentifier).filter { rows[$0] == nil }
/// if !missing.isEmpty { throw DeletedRows(missing) }
/// ```
public struct DeletedRows: Error {
  /// The identifiers of the missing rows.
  public let identifiers: [PersistentIdentifier]

  /// Creates the error for some missing rows.
  public init(_ identifiers: [PersistentIdentifier]) { self.identifiers = identifiers }

  /// The public error, for callers without a context.
  package var error: SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      description, entity: identifiers.first?.entityName, because: .notFound(identifiers))
  }
}

extension DeletedRows: CustomStringConvertible {
  /// Which rows are missing.
  public var description: String {
    if identifiers.isEmpty {
      return "The store has no rows for some models of the save, and does not name them. It has to "
        + "create the error with their identifiers. Nothing was saved."
    }
    let names = identifiers.map(\.description).joined(separator: ", ")
    if identifiers.contains(where: \.isTemporary) {
      return "The store has no rows for \(names). New models have none before the save: the error "
        + "may name only models that were stored. Nothing was saved."
    }
    return "The store has no rows for \(names); another context or process deleted them. Nothing "
      + "was saved."
  }
}
