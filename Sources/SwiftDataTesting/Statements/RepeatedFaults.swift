import SwiftData

/// Expects that no relationship is read one model at a time, more often than a limit.
///
/// ```swift
/// try expectNoRepeatedFaults(in: temporary) {
///   for trip in try context.fetch(FetchDescriptor<Trip>()) { print(trip.stops.count) }
/// }
/// ```
///
/// The failure names the relationships to prefetch. Rows of models that were found by identifier, or whose
/// relationship is not known any more, are counted by entity. So are rows of models that were fetched with
/// `propertiesToFetch`. What a predicate finds is not counted. Default stores and stores in PostgreSQL are examined.
/// - Parameters:
///   - container: The container.
///   - limit: How often one relationship may be read for a single model.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, or the error of `body`.
@discardableResult
public func expectNoRepeatedFaults<R>(
  in container: some TestedContainer, atMost limit: Int = 3,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () throws -> R
) throws -> R {
  let expectation = FaultExpectation(limit: limit, place: CallSite(fileID, filePath, line, column))
  let (result, recording) = try container.recording(
    expecting: expectation.sentence, at: expectation.place, body)
  try expectation.check(recording)
  return result
}

/// Expects that no relationship is read one model at a time in an asynchronous body, more often than
/// a limit.
/// - Parameters:
///   - container: The container.
///   - limit: How often one relationship may be read for a single model.
///   - isolation: The actor that `body` runs on.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, or the error of `body`.
@discardableResult
public func expectNoRepeatedFaults<R>(
  in container: some TestedContainer, atMost limit: Int = 3,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () async throws -> R
) async throws -> R {
  let expectation = FaultExpectation(limit: limit, place: CallSite(fileID, filePath, line, column))
  let (result, recording) = try await container.recording(
    expecting: expectation.sentence, at: expectation.place, isolation: isolation, body)
  try expectation.check(recording)
  return result
}

private struct FaultExpectation {
  let limit: Int
  let place: CallSite

  var sentence: String {
    "no relationship to be read for single models more than \(limit) "
      + (limit == 1 ? "time" : "times")
  }

  func check(_ recording: Recording) throws {
    let found = Dictionary(grouping: recording.faults, by: \.self).filter { $0.value.count > limit }
      .map { $0.key.advice(count: $0.value.count) }.sorted()
    if found.isEmpty { return }
    throw ExpectationFailure(
      expected: sentence,
      outcome: "\(found.count) \(found.count == 1 ? "was" : "were")", details: found, at: place)
  }
}
