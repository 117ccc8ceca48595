import Foundation
public import SwiftData
import Synchronization

extension TemporaryContainer {
  /// Runs a body in which the process crashes, and then opens the files as the process left them.
  ///
  /// ```swift
  /// try temporary.crashing(at: .save(1)) { try context.save() }
  /// #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 0)
  /// ```
  ///
  /// At the moment of the crash the files are copied, as a killed process would leave them. From
  /// then on each operation of the old container fails. After the body ``container`` is a new
  /// container over the copy: what the app sees at its next start. The store must be in a file.
  /// - Parameters:
  ///   - point: The moment, counted from the beginning of the body: before a statement, or before
  ///     the commit of a save.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - body: Runs once. Its errors are ignored after the crash.
  /// - Returns: The new container.
  /// - Throws: The error of `body` if it does not come as far as the crash; `ExpectationFailure` if
  ///   the moment does not come; an error of Foundation if the files can't be copied; `SwiftDataError`
  ///   if the copy can't be opened.
  @discardableResult
  public func crashing(
    at point: FaultPoint,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, _ body: () throws -> Void
  ) throws -> ModelContainer {
    let crash = try Crash(self, at: point, CallSite(fileID, filePath, line, column))
    defer { crash.injection.end() }
    do {
      try body()
    } catch {
      guard crash.hasHappened else { throw crash.injection.error ?? error }
    }
    return try finish(crash)
  }

  /// Runs an asynchronous body in which the process crashes, and then opens the files as the process
  /// left them.
  /// - Parameters:
  ///   - point: The moment, counted from the beginning of the body: before a statement, or before
  ///     the commit of a save.
  ///   - isolation: The actor that `body` runs on.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - body: Runs once. Its errors are ignored after the crash.
  /// - Returns: The new container.
  /// - Throws: The error of `body` if it does not come as far as the crash; `ExpectationFailure` if
  ///   the moment does not come; an error of Foundation if the files can't be copied; `SwiftDataError`
  ///   if the copy can't be opened.
  @discardableResult
  public func crashing(
    at point: FaultPoint, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, _ body: () async throws -> Void
  ) async throws -> ModelContainer {
    let crash = try Crash(self, at: point, CallSite(fileID, filePath, line, column))
    defer { crash.injection.end() }
    do {
      try await body()
    } catch {
      guard crash.hasHappened else { throw crash.injection.error ?? error }
    }
    return try finish(crash)
  }

  /// Opens the file with other models in a process that crashes, and then opens the files as the
  /// process left them.
  ///
  /// ```swift
  /// try temporary.reopen(
  ///   for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
  ///   crashingAfterStatement: 20)
  /// ```
  ///
  /// So the code of a migration stage may run twice, as after a crash of an app. All statements of
  /// the opening and the migration count, from 1.
  /// - Parameters:
  ///   - schema: The new models.
  ///   - migrationPlan: How the store is migrated.
  ///   - number: The number of the last statement before the crash.
  ///   - fileID: The file of the call.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The new container, which is also ``container``.
  /// - Throws: `ExpectationFailure` if the opening has fewer statements; `TemporaryContainerError` for
  ///   a store in memory; `SwiftDataError` if the file or the copy can't be migrated.
  @discardableResult
  public func reopen(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    crashingAfterStatement number: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) throws -> ModelContainer {
    guard let url, let folder else { return try reopen(for: schema, migrationPlan: migrationPlan) }
    let files = StoreFiles(of: url)
    let copy = folder.newURL(named: url.lastPathComponent)
    let statements = StatementCount()
    try openOnce(for: schema, migrationPlan: migrationPlan) {
      statements.pass(number) { try files.copy(to: copy, keepingOpenIn: folder) }
    }
    if let error = statements.error { throw error }
    guard statements.count >= number, number > 0 else {
      throw ExpectationFailure(
        expected: "a crash after statement \(number) of the opening",
        outcome: "it has only \(statements.count) statements",
        at: CallSite(fileID, filePath, line, column))
    }
    return try reopen(for: schema, migrationPlan: migrationPlan, at: copy)
  }

  private func finish(_ crash: Crash) throws -> ModelContainer {
    try crash.injection.requireFired()
    return try reopen(at: crash.copy)
  }
}

/// Counts the statements of an opening, up to a crash.
private final class StatementCount: Sendable {
  private struct State {
    var count = 0
    var error: (any Error)?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  var error: (any Error)? { state.withLock { $0.error } }

  /// - Parameter crash: Runs after the statement with the number.
  func pass(_ number: Int, _ crash: () throws -> Void) {
    let isDue = state.withLock { state in
      state.count += 1
      return state.count == number
    }
    guard isDue else { return }
    do {
      try crash()
    } catch {
      state.withLock { $0.error = error }
    }
  }
}

/// A crash in the container's process, in miniature.
private struct Crash {
  let injection: OpenInjection
  /// The files as the process left them.
  let copy: URL
  private let files: StoreFiles

  init(_ container: TemporaryContainer, at point: FaultPoint, _ place: CallSite) throws {
    guard let url = container.url, let folder = container.folder else {
      throw ExpectationFailure(
        expected: "a crash at \(point)",
        outcome: "the store is in memory, of which nothing is left after a crash. Create the "
          + "container with storage: .file", at: place)
    }
    let files = StoreFiles(of: url)
    let copy = folder.newURL(named: url.lastPathComponent)
    self.files = files
    self.copy = copy
    injection = try OpenInjection(
      container, point, .crash { try files.copy(to: copy, keepingOpenIn: folder) }, place)
  }

  var hasHappened: Bool { FileManager.default.fileExists(atPath: copy.path) }
}
