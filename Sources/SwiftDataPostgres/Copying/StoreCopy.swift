public import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import SwiftData

/// Copies a whole store between a file and a PostgreSQL database. Needs none of its models.
///
/// The copy has the same rows with the same identifiers, the links between them, large values and the
/// history. Indexes are made anew. The source is only read, in one transaction: later commits are not
/// copied, so stop the programs that write to it.
///
/// ```swift
/// let copy = try StoreCopy(
///   from: .file(URL(filePath: "/data/trips.store")),
///   to: .database("postgresql://owner@db.example/trips"))
///
/// print(try copy.run())
/// ```
///
/// An interrupted copy goes on when it is started again. Until it is complete, it can't be opened as a
/// store. At the end the rows of both sides are read and compared.
public struct StoreCopy: Sendable {
  /// Where a store is: a file, or the schema of a database.
  public struct Location: Hashable, Sendable {
    enum Form: Hashable, Sendable {
      case file(URL)
      case database(ConnectionParameters)
    }

    let form: Form

    /// A store file.
    public static func file(_ url: URL) -> Location { Location(form: .file(url)) }

    /// The current schema of a PostgreSQL database.
    /// - Parameter address: As in `PostgresConfiguration`.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` if the address is malformed.
    public static func database(_ address: String) throws -> Location {
      Location(
        form: .database(try PostgresConfiguration("copy", url: address).parameters))
    }
  }

  /// The store that is read.
  public let source: Location

  /// The place of the new store: a path without a file, or a schema without a store.
  public let target: Location

  /// Whether the copy has the identifier of the source; otherwise it gets a new one.
  ///
  /// Identifiers of models and history tokens that a program has stored contain it. With the same
  /// identifier they stay valid. A container can't open two stores with one identifier.
  public var keepsIdentifier = true

  /// Whether columns and tables that the model does not have are left out. Otherwise they are refused.
  public var leavesOutUnknown = false

  /// Whether an interrupted copy starts anew. It always does if its source has changed since.
  public var startsAnew = false

  /// Makes a copy, which `run` performs.
  /// - Parameters:
  ///   - source: The store that is read.
  ///   - target: The place of the new store.
  public init(from source: Location, to target: Location) {
    self.source = source
    self.target = target
  }

  /// Reads and checks the source and the target. Writes nothing.
  /// - Parameter progress: Called after some rows. An error that it throws ends the check.
  /// - Returns: What a copy would contain, and what prevents it.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if a side can't be read.
  public func preview(_ progress: @escaping (Progress) throws -> Void = { _ in }) throws -> Preview
  {
    try withSource(orThrow: StoreCopy.interruptedCheck) { source in
      try CopyRun(source: source, target: openTarget(), options: self, progress).preview()
    }
  }

  /// Copies, verifies, and makes the copy a store.
  /// - Parameter progress: Called after some rows. An error that it throws interrupts the copy.
  /// - Returns: The numbers of rows and the checksums, which are those of both sides.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the source can't be copied or the target is
  ///   not empty, or `.storeWriteFailure`. A copy that was begun goes on when it is run again.
  public func run(_ progress: @escaping (Progress) throws -> Void = { _ in }) throws -> Report {
    try withSource(orThrow: prevented) { source in
      try CopyRun(source: source, target: openTarget(), options: self, progress).run()
    }
  }

  private static let interruptedCheck = "The check of the copy stopped; nothing was changed."

  private var prevented: String {
    "The copy into \(target) could not begin; this run has copied nothing."
  }

  private func withSource<R>(
    orThrow text: String, _ body: (any CopySource) throws -> R
  ) throws -> R {
    do {
      switch source.form {
      case .file(let url): return try FileCopySource.open(url, options: self, body)
      case .database(let parameters):
        return try DatabaseCopySource.open(parameters, options: self, body)
      }
    } catch let interruption as CopyRun.Interruption {
      throw interruption.error
    } catch {
      throw described(error, text)
    }
  }

  /// An error of a database or of the system, with what became of the copy; others as they are.
  func described(_ error: any Error, _ text: String) -> any Error {
    let cause: any Error
    switch error {
    case let error as SQLiteError: cause = SwiftDataError.DatabaseFailure(error)
    case is PostgresError: cause = error
    case is POSIXError, is CocoaError:
      let reason = SwiftDataError.Reason(systemError: error)
      let advice = reason == .diskFull ? " Free space on the volume first." : ""
      return SwiftDataError.storeWriteFailure.with(
        text + advice, doing: "copying a store", underlying: error, because: reason)
    default: return error
    }
    return SwiftDataError.storeWriteFailure.with(
      text, doing: "copying a store", underlying: cause)
  }

  private func openTarget() throws -> any CopyTarget {
    switch target.form {
    case .file(let url): FileCopyTarget(url)
    case .database(let parameters):
      try DatabaseCopyTarget(parameters)
    }
  }
}

extension StoreCopy.Location {
  /// A connection for a copy, which may take long, and whose transaction waits for the other side.
  static func connect(_ parameters: ConnectionParameters) throws -> PostgresConnection {
    var options = ConnectionOptions()
    options.statementTimeout = nil
    options.idleInTransactionTimeout = nil
    do {
      let connection = try PostgresConnection(parameters, options: options)
      try connection.requireServer()
      return connection
    } catch {
      throw SwiftDataError.loadIssueModelContainer.with(
        "There is no connection to \(parameters). Nothing was changed by this run.",
        doing: "copying a store", underlying: error)
    }
  }
}

extension StoreCopy.Location: CustomStringConvertible {
  /// The path of a file, or the database without the password.
  public var description: String {
    switch form {
    case .file(let url): url.path
    case .database(let parameters): parameters.description
    }
  }
}
