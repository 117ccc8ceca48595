extension ModelContainer {
  /// Saves at once what autosave would save soon, in every context of the container.
  ///
  /// Await it before a program ends, so that nothing is lost:
  ///
  /// ```swift
  /// container.mainContext.insert(Trip(name: "Faro", start: .now))
  /// try await container.settle()
  /// ```
  ///
  /// Each context is saved on its actor. Contexts without autosave are left alone.
  /// - Throws: The first error, after all contexts have been tried; their changes stay pending.
  public func settle() async throws {
    try await coordinator.autosaves.settle()
  }
}
