import SwiftData

/// How many statements a body may run.
enum StatementBounds: Sendable {
  case exactly(Int)
  case atMost(Int)

  func allows(_ count: Int) -> Bool {
    switch self {
    case .exactly(let number): count == number
    case .atMost(let number): count <= number
    }
  }

  func sentence(_ kinds: StatementKinds) -> String {
    switch self {
    case .exactly(let number): "exactly \(kinds.counted(number))"
    case .atMost(let number): "at most \(kinds.counted(number))"
    }
  }
}

/// Expects a number of statements of some kinds.
struct StatementExpectation: Sendable {
  let bounds: StatementBounds
  let kinds: StatementKinds
  let place: CallSite

  var sentence: String { bounds.sentence(kinds) }

  func check(_ recording: Recording) throws {
    let counted = recording.statements.filter { !kinds.isDisjoint(with: $0.kind) }
    if bounds.allows(counted.count) { return }
    throw ExpectationFailure(
      expected: sentence,
      outcome: counted.isEmpty ? "none ran" : "\(counted.count) ran",
      details: counted.enumerated().map { "\($0 + 1). \($1)" }, at: place)
  }
}

/// Expects that the stores of a container run a number of statements during a body.
///
/// ```swift
/// let found = try expectStatements(2, in: temporary) { try trips(prefetching: \.stops) }
/// ```
///
/// Only the statements of this container count, whichever context and thread runs them, so tests may
/// run in parallel, each with its own container.
/// - Parameters:
///   - count: The exact number of statements.
///   - kinds: Which statements count; by default those that read and write rows of models.
///   - container: The container.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, which lists the statements, or the error of `body`.
@discardableResult
public func expectStatements<R>(
  _ count: Int, of kinds: StatementKinds = .rows, in container: some TestedContainer,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () throws -> R
) throws -> R {
  let expectation = StatementExpectation(
    bounds: .exactly(count), kinds: kinds, place: CallSite(fileID, filePath, line, column))
  return try expectation.run(in: container, body)
}

/// Expects that the stores of a container run a number of statements during an asynchronous body.
/// - Parameters:
///   - count: The exact number of statements.
///   - kinds: Which statements count; by default those that read and write rows of models.
///   - container: The container.
///   - isolation: The actor that `body` runs on.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, which lists the statements, or the error of `body`.
@discardableResult
public func expectStatements<R>(
  _ count: Int, of kinds: StatementKinds = .rows, in container: some TestedContainer,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () async throws -> R
) async throws -> R {
  let expectation = StatementExpectation(
    bounds: .exactly(count), kinds: kinds, place: CallSite(fileID, filePath, line, column))
  return try await expectation.run(in: container, isolation: isolation, body)
}

/// Expects that the stores of a container run at most a number of statements during a body.
/// - Parameters:
///   - limit: The largest number of statements.
///   - kinds: Which statements count; by default those that read and write rows of models.
///   - container: The container.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, which lists the statements, or the error of `body`.
@discardableResult
public func expectStatements<R>(
  atMost limit: Int, of kinds: StatementKinds = .rows, in container: some TestedContainer,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () throws -> R
) throws -> R {
  let expectation = StatementExpectation(
    bounds: .atMost(limit), kinds: kinds, place: CallSite(fileID, filePath, line, column))
  return try expectation.run(in: container, body)
}

/// Expects that the stores of a container run at most a number of statements during an asynchronous
/// body.
/// - Parameters:
///   - limit: The largest number of statements.
///   - kinds: Which statements count; by default those that read and write rows of models.
///   - container: The container.
///   - isolation: The actor that `body` runs on.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, which lists the statements, or the error of `body`.
@discardableResult
public func expectStatements<R>(
  atMost limit: Int, of kinds: StatementKinds = .rows, in container: some TestedContainer,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () async throws -> R
) async throws -> R {
  let expectation = StatementExpectation(
    bounds: .atMost(limit), kinds: kinds, place: CallSite(fileID, filePath, line, column))
  return try await expectation.run(in: container, isolation: isolation, body)
}

extension StatementExpectation {
  fileprivate func run<R>(in container: some TestedContainer, _ body: () throws -> R) throws -> R {
    let (result, recording) = try container.recording(
      expecting: sentence, at: place, body)
    try check(recording)
    return result
  }

  fileprivate func run<R>(
    in container: some TestedContainer, isolation: isolated (any Actor)?,
    _ body: () async throws -> R
  ) async throws -> R {
    let (result, recording) = try await container.recording(
      expecting: sentence, at: place, isolation: isolation, body)
    try check(recording)
    return result
  }
}
