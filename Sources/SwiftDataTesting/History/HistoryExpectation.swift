import SwiftData

/// Expects that the history records some changes during a body.
///
/// ```swift
/// try expectHistory([.insert("Stop"), .update("Trip", ["name", "stops"])], in: temporary) {
///   trip.name = "Porto"
///   trip.stops.append(Stop(place: "Ribeira"))
///   try context.save()
/// }
/// ```
///
/// Saves are compared in their order. A save itself has no order of its changes, so they may be
/// listed in any order.
/// - Parameters:
///   - changes: The changes of all saves, one save after the other.
///   - author: The author of each save; `nil` for any.
///   - container: The container.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, which lists the transactions; the error of `body` or of the store.
@discardableResult
public func expectHistory<R>(
  _ changes: [RecordedChange], by author: String? = nil, in container: some TestedContainer,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () throws -> R
) throws -> R {
  let expectation = HistoryExpectation(
    changes: changes, author: author, place: CallSite(fileID, filePath, line, column))
  let before = try expectation.begin(container.testedContainer)
  let result = try body()
  try expectation.check(container.testedContainer, after: before)
  return result
}

/// Expects that the history records some changes during an asynchronous body.
/// - Parameters:
///   - changes: The changes of all saves, one save after the other.
///   - author: The author of each save; `nil` for any.
///   - container: The container.
///   - isolation: The actor that `body` runs on.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs once.
/// - Returns: The result of `body`.
/// - Throws: `ExpectationFailure`, which lists the transactions; the error of `body` or of the store.
@discardableResult
public func expectHistory<R>(
  _ changes: [RecordedChange], by author: String? = nil, in container: some TestedContainer,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ body: () async throws -> R
) async throws -> R {
  let expectation = HistoryExpectation(
    changes: changes, author: author, place: CallSite(fileID, filePath, line, column))
  let before = try expectation.begin(container.testedContainer)
  let result = try await body()
  try expectation.check(container.testedContainer, after: before)
  return result
}

extension TestedContainer {
  /// The transactions in the history of the container's stores, the oldest first.
  ///
  /// ```swift
  /// #expect(try temporary.history().map(\.author) == ["import", nil])
  /// ```
  /// - Throws: `SwiftDataError` if a store can't be read.
  public func history() throws -> [RecordedTransaction] {
    try testedContainer.transactions().map(RecordedTransaction.init)
  }
}

extension ModelContainer {
  fileprivate func transactions() throws -> [DefaultHistoryTransaction] {
    try ModelContext(self).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }
}

private struct HistoryExpectation {
  let changes: [RecordedChange]
  let author: String?
  let place: CallSite

  /// The last transaction of each store before the body.
  typealias Position = [String: Int64]

  private var sentence: String {
    let changes =
      changes.isEmpty ? "no changes" : changes.map(\.description).joined(separator: ", ")
    return "the history to record \(changes)" + (author.map { " by \"\($0)\"" } ?? "")
  }

  func begin(_ container: ModelContainer) throws -> Position {
    let stores = container.stores.compactMap { $0 as? DefaultStore }
    if let store = stores.first(where: { !$0.engine.writesHistory }) {
      throw ExpectationFailure(
        expected: sentence,
        outcome: "the store \(store.name) keeps none: keepsHistory is false", at: place)
    }
    var position: Position = [:]
    for transaction in try container.transactions() {
      position[transaction.storeIdentifier] = transaction.transactionIdentifier
    }
    return position
  }

  func check(_ container: ModelContainer, after position: Position) throws {
    let recorded = try container.transactions()
      .filter { $0.transactionIdentifier > position[$0.storeIdentifier] ?? 0 }
      .map(RecordedTransaction.init)
    let isBySame = author == nil || recorded.allSatisfy { $0.author == author }
    if isBySame, matches(recorded.map(\.changes)) { return }
    throw ExpectationFailure(
      expected: sentence,
      outcome: recorded.isEmpty ? "nothing was saved" : "it recorded", details: list(recorded),
      at: place)
  }

  private func matches(_ recorded: [[RecordedChange]]) -> Bool {
    guard recorded.map(\.count).reduce(0, +) == changes.count else { return false }
    var rest = changes[...]
    for changes in recorded {
      let expected = rest.prefix(changes.count)
      rest = rest.dropFirst(changes.count)
      if counts(expected) != counts(changes[...]) { return false }
    }
    return true
  }

  private func counts(_ changes: ArraySlice<RecordedChange>) -> [RecordedChange: Int] {
    changes.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private func list(_ recorded: [RecordedTransaction]) -> [String] {
    recorded.enumerated().map { index, transaction in
      let author = transaction.author.map { " by \"\($0)\"" } ?? ""
      let changes = transaction.changes.map(\.description).joined(separator: ", ")
      return "save \(index + 1)\(author): \(changes.isEmpty ? "no changes" : changes)"
    }
  }
}
