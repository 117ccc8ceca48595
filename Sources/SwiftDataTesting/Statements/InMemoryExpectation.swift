import SwiftData

/// Expects that SQL evaluates the predicates and orders of all fetches in a body.
///
/// ```swift
/// try expectNoWorkInMemory(in: temporary) { try context.fetch(descriptor) }
/// ```
/// - Parameters:
///   - container: The container.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure` with the entities and the reasons, or the error of `body`.
@discardableResult
public func expectNoWorkInMemory<R>(
  in container: some TestedContainer,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () throws -> R
) throws -> R {
  let place = CallSite(fileID, filePath, line, column)
  let expected = "SQL to evaluate all predicates and orders"
  let (result, recording) = try container.recording(expecting: expected, at: place, body)
  if recording.inMemory.isEmpty { return result }
  throw ExpectationFailure(
    expected: expected, outcome: "a part was evaluated in memory",
    details: recording.inMemory.map { "\($0.entityName): \($0.reasons.joined(separator: "; "))" },
    at: place)
}
