/// The error of a store when rows that a save updates do not exist any more. The store has saved
/// nothing. The context drops its edits of these models and saves again.
package struct DeletedRows: Error {
  /// The identifiers of the missing rows.
  package let identifiers: [PersistentIdentifier]

  package init(_ identifiers: [PersistentIdentifier]) { self.identifiers = identifiers }

  /// The public error, for callers without a context.
  package var error: SwiftDataError {
    let names = identifiers.map(\.description).joined(separator: ", ")
    return SwiftDataError.modelValidationFailure.with(
      "The store has no rows for \(names); another context or process deleted them. Nothing was "
        + "saved.",
      entity: identifiers.first?.entityName)
  }
}
