extension TestedContainer {
  /// The statements that the container's stores run during a body, in the order of their ends.
  ///
  /// ```swift
  /// let statements = try temporary.statements { try context.save() }
  /// #expect(statements.map(\.kind) == [.writes])
  /// ```
  /// - Parameters:
  ///   - kinds: Which statements; by default those that read and write rows of models.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - body: Runs once.
  /// - Throws: The error of `body`; `ExpectationFailure` if the container is not recorded.
  public func statements<R>(
    of kinds: StatementKinds = .rows, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    during body: () throws -> R
  ) throws -> [RecordedStatement] {
    let place = CallSite(fileID, filePath, line, column)
    return try recording(expecting: "a recorded container", at: place, body)
      .recording.statements.filter { !kinds.isDisjoint(with: $0.kind) }
  }

  /// The statements that the container's stores run during an asynchronous body, in the order of
  /// their ends.
  /// - Parameters:
  ///   - kinds: Which statements; by default those that read and write rows of models.
  ///   - isolation: The actor that `body` runs on.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - body: Runs once.
  /// - Throws: The error of `body`; `ExpectationFailure` if the container is not recorded.
  public func statements<R>(
    of kinds: StatementKinds = .rows, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, during body: () async throws -> R
  ) async throws -> [RecordedStatement] {
    let place = CallSite(fileID, filePath, line, column)
    return try await recording(
      expecting: "a recorded container", at: place, isolation: isolation, body
    ).recording.statements.filter { !kinds.isDisjoint(with: $0.kind) }
  }
}
