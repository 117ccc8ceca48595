extension PersistentIdentifier {
  /// The identifier that a text from ``urlText`` stands for.
  ///
  /// ```swift
  /// let identifier = try PersistentIdentifier(urlText: text, in: container)
  /// ```
  ///
  /// Runs no statement, so the row need not exist: ``ModelContext/existingModel(_:for:)`` reads it.
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - urlText: Any text.
  ///   - container: The container with the store and the entity.
  /// - Throws: ``SwiftDataError/invalidIdentifier``; ``SwiftDataError/reason`` says what is wrong.
  public init(urlText: String, in container: ModelContainer) throws {
    self = try container.coordinator.identifier(urlText: urlText)
  }
}
