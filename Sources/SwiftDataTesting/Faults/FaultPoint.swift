/// The moment at which an injected failure happens, counted from the beginning of the body.
///
/// Statements that open or migrate a store are not counted and do not fail. For a crash in a migration,
/// use `TemporaryContainer.reopen(for:migrationPlan:crashingAfterStatement:)`.
public enum FaultPoint: Hashable, Sendable {
  /// The n-th save that has something to store, from 1.
  ///
  /// A busy store fails when the save begins. Other failures happen at its commit, when everything
  /// has been written. A save inside `ModelContext.transaction` counts.
  case save(Int)

  /// The n-th statement of some kinds, from 1; it does not run.
  ///
  /// A statement has the number that the lists of `expectStatements` give it: a save writes rows of
  /// one entity with few statements, each for several rows. These run in one batch, which fails
  /// before the first of them. Begins and ends of transactions are not counted; use ``save(_:)``.
  case statement(Int, of: StatementKinds)

  /// The n-th statement that reads or writes rows, from 1.
  public static func statement(_ number: Int) -> FaultPoint { .statement(number, of: .rows) }
}

extension FaultPoint: CustomStringConvertible {
  /// The moment as the object of a sentence.
  public var description: String {
    switch self {
    case .save(let number): "save \(number)"
    case .statement(let number, let kinds):
      kinds == .rows ? "statement \(number)" : "statement \(number) of the kinds \(kinds)"
    }
  }

  var number: Int {
    switch self {
    case .save(let number), .statement(let number, _): number
    }
  }
}

/// A failure of the database.
public enum InjectedFailure: Hashable, Sendable {
  /// The volume has no space left.
  case diskFull

  /// Another process holds the lock.
  case busy

  /// The volume can't be read or written.
  case inputOutput
}

extension InjectedFailure: CustomStringConvertible {
  /// The failure as a noun.
  public var description: String {
    switch self {
    case .diskFull: "a full disk"
    case .busy: "a busy store"
    case .inputOutput: "an input/output error"
    }
  }
}
