extension ModelContainer {
  /// Saves immediately what autosave would save later, in every context of the container.
  ///
  /// Await it before a program ends, so that no changes are lost:
  ///
  /// ```swift
  /// container.mainContext.insert(Trip(name: "Faro", start: .now))
  /// try await container.settle()
  /// ```
  ///
  /// Each context is saved on its actor. Contexts without autosave are not saved.
  /// - Throws: The first error, after all contexts have been tried; their changes stay pending.
  public func settle() async throws {
    try await coordinator.autosaves.settle()
  }
}
