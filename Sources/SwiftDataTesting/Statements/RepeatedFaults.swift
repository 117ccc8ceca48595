import SwiftData

/// Expects that no relationship is read one model at a time, more often than a limit.
///
/// ```swift
/// try expectNoRepeatedFaults(in: temporary) {
///   for trip in try context.fetch(FetchDescriptor<Trip>()) { print(trip.stops.count) }
/// }
/// ```
///
/// The failure names the relationships to prefetch. For rows that are reached through a to-one
/// relationship, it names all relationships that lead to their entity. Only default stores are
/// examined.
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
  try expectation.check(recording, container.testedContainer)
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
  try expectation.check(recording, container.testedContainer)
  return result
}

private struct FaultExpectation {
  let limit: Int
  let place: CallSite

  var sentence: String {
    "no relationship to be read for single models more than \(limit) "
      + (limit == 1 ? "time" : "times")
  }

  func check(_ recording: Recording, _ container: ModelContainer) throws {
    var counts: [FaultRead: Int] = [:]
    for store in container.stores.compactMap({ $0 as? DefaultStore }) {
      let reads = store.engine.faultReads
      for statement in recording.statements {
        if let read = reads[statement.sql] { counts[read, default: 0] += 1 }
      }
    }
    let found = counts.filter { $0.value > limit }
      .map { FaultAdvice(read: $0.key, count: $0.value, schema: container.schema).text }.sorted()
    if found.isEmpty { return }
    throw ExpectationFailure(
      expected: sentence,
      outcome: "\(found.count) \(found.count == 1 ? "was" : "were")", details: found, at: place)
  }
}

/// What to prefetch in place of reads for single models.
private struct FaultAdvice {
  let read: FaultRead
  let count: Int
  let schema: Schema

  var text: String {
    switch read {
    case .members(let entity, let property):
      return "\(entity).\(property): \(count) times. Fetch with "
        + "relationshipKeyPathsForPrefetching = [\\\(entity).\(property)]"
    case .row(let entity):
      let paths = relationships(to: entity)
      let rows = "rows of \(entity): \(count) times."
      if paths.isEmpty { return "\(rows) Fetch the models with one fetch" }
      let list = paths.map { "\\\($0)" }
      return paths.count == 1
        ? "\(rows) Fetch with relationshipKeyPathsForPrefetching = [\(list[0])]"
        : "\(rows) Fetch with relationshipKeyPathsForPrefetching and one of "
          + list.joined(separator: ", ")
    }
  }

  /// The to-one relationships that lead to models of an entity.
  private func relationships(to entity: String) -> [String] {
    let destinations = Set(schema.entitiesByName[entity]?.lineage.map(\.name) ?? [entity])
    return schema.entities.flatMap { owner in
      owner.storedProperties.compactMap { property in
        guard let relationship = property as? Schema.Relationship,
          relationship.isToOneRelationship, destinations.contains(relationship.destination)
        else { return nil }
        return "\(owner.name).\(relationship.name)"
      }
    }.sorted()
  }
}
