/// Statements that do not need each other's results, and what is done with these.
///
/// A database that is asked over a network gets all of them in one round trip; the others run them in their
/// order.
final class StatementBatch {
  private let session: any SQLSession
  private var statements: [BatchStatement] = []
  private var receivers: [(count: Int, receive: ([StatementResult]) throws -> Void)] = []

  init(_ session: any SQLSession) { self.session = session }

  /// - Parameter receive: Called by `run` with the integers that each statement has returned.
  func read(
    _ texts: [String], _ parameters: SQLParameters,
    _ receive: @escaping ([[Int64]]) throws -> Void
  ) {
    add(texts.map { BatchStatement(sql: $0, parameters: parameters, returnsRows: true) }) {
      try receive($0.map(\.integers))
    }
  }

  /// - Parameter receive: Called by `run` with the integers that the statement has returned.
  func read(
    _ sql: String, _ parameters: SQLParameters, _ receive: @escaping ([Int64]) throws -> Void
  ) {
    read([sql], parameters) { try receive($0[0]) }
  }

  /// - Parameter receive: Called by `run` with the number of changed rows.
  func write(
    _ sql: String, _ parameters: SQLParameters, _ receive: @escaping (Int) throws -> Void = { _ in }
  ) {
    add([BatchStatement(sql: sql, parameters: parameters, returnsRows: false)]) {
      try receive($0[0].changedRows)
    }
  }

  private func add(
    _ added: [BatchStatement], _ receive: @escaping ([StatementResult]) throws -> Void
  ) {
    statements += added
    receivers.append((added.count, receive))
  }

  /// Runs the statements since the last run.
  func run() throws {
    if statements.isEmpty { return }
    let (statements, receivers) = (statements, receivers)
    (self.statements, self.receivers) = ([], [])
    var results = try session.results(of: statements)[...]
    for (count, receive) in receivers {
      try receive(Array(results.prefix(count)))
      results = results.dropFirst(count)
    }
  }
}
