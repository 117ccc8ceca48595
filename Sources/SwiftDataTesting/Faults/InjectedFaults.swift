import SwiftData

extension TestedContainer {
  /// Makes one operation of the container's stores fail while a body runs.
  ///
  /// ```swift
  /// try temporary.failing(.save(1), with: .diskFull) {
  ///   #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
  /// }
  /// try context.save()
  /// ```
  ///
  /// The operation throws what it throws if the database reports the failure. Afterwards everything
  /// works again. A failure that never happens makes the expectation fail, because such a test could
  /// not fail.
  /// - Parameters:
  ///   - point: The operation that fails, counted from the beginning of the body.
  ///   - failure: What the database reports.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - body: Runs once. It handles the error of the operation, or throws it.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`; `ExpectationFailure` if the operation did not take place.
  @discardableResult
  public func failing<R>(
    _ point: FaultPoint, with failure: InjectedFailure,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, _ body: () throws -> R
  ) throws -> R {
    let injection = try OpenInjection(
      self, point, .failure(failure), CallSite(fileID, filePath, line, column))
    defer { injection.end() }
    let result = try body()
    try injection.requireFired()
    return result
  }

  /// Makes one operation of the container's stores fail while an asynchronous body runs.
  /// - Parameters:
  ///   - point: The operation that fails, counted from the beginning of the body.
  ///   - failure: What the database reports.
  ///   - isolation: The actor that `body` runs on.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - body: Runs once. It handles the error of the operation, or throws it.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`; `ExpectationFailure` if the operation did not take place.
  @discardableResult
  public func failing<R>(
    _ point: FaultPoint, with failure: InjectedFailure,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, _ body: () async throws -> R
  ) async throws -> R {
    let injection = try OpenInjection(
      self, point, .failure(failure), CallSite(fileID, filePath, line, column))
    defer { injection.end() }
    let result = try await body()
    try injection.requireFired()
    return result
  }
}

/// An injection into the store of a container, from the call to the end of the body.
struct OpenInjection {
  private let injector: FaultInjector
  private let number: Int
  private let point: FaultPoint
  private let effect: FaultInjector.Effect
  private let place: CallSite

  init(
    _ container: some TestedContainer, _ point: FaultPoint, _ effect: FaultInjector.Effect,
    _ place: CallSite
  ) throws {
    self.point = point
    self.effect = effect
    self.place = place
    let expected = OpenInjection.sentence(point, effect)
    let recorders = try container.recorders(expecting: expected, at: place)
    guard let recorder = recorders.first, recorders.count == 1 else {
      throw ExpectationFailure(
        expected: expected,
        outcome: "the container has \(recorders.count) recorders. Give its stores the same one",
        at: place)
    }
    guard container.testedContainer.stores.allSatisfy({ $0 is DefaultStore }) else {
      throw ExpectationFailure(
        expected: expected,
        outcome: "failures are injected into default stores only, and the container has "
          + "another one",
        at: place)
    }
    guard point.number > 0 else {
      throw ExpectationFailure(
        expected: expected, outcome: "the first operation has the number 1", at: place)
    }
    injector = recorder.faults
    number = injector.begin(point, effect)
  }

  @discardableResult
  func end() -> FaultInjector.Outcome { injector.end(number) }

  /// An error of the code that has run at the moment of a crash.
  var error: (any Error)? { injector.error(number) }

  /// Ends the injection.
  /// - Throws: `ExpectationFailure` if it has not fired, or the error of the code that has run at the
  ///   moment of a crash.
  func requireFired() throws {
    let outcome = end()
    if let error = outcome.error { throw error }
    if outcome.hasFired { return }
    let noun =
      switch point {
      case .save: outcome.count == 1 ? "1 save" : "\(outcome.count) saves"
      case .statement(_, let kinds): kinds.counted(outcome.count)
      }
    throw ExpectationFailure(
      expected: OpenInjection.sentence(point, effect),
      outcome: "the body ran only \(noun), so nothing failed", at: place)
  }

  private static func sentence(_ point: FaultPoint, _ effect: FaultInjector.Effect) -> String {
    switch effect {
    case .failure(let failure): "\(failure) at \(point)"
    case .crash: "a crash at \(point)"
    }
  }
}
