/// What a store throws when rows that a save updates are gone. It has stored nothing then; the context
/// drops its edits of them and saves again.
package struct DeletedRows: Error {
  /// The models without a row.
  package let identifiers: [PersistentIdentifier]

  package init(_ identifiers: [PersistentIdentifier]) { self.identifiers = identifiers }

  /// The same for callers that have no context.
  package var error: SwiftDataError {
    let names = identifiers.map(\.description).joined(separator: ", ")
    return SwiftDataError.modelValidationFailure.with(
      "The store has no rows for \(names); they were deleted meanwhile. Nothing of this save was "
        + "stored.",
      entity: identifiers.first?.entityName)
  }
}
