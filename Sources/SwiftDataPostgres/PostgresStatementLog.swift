import OpenSwiftDataPostgresEngine
public import SwiftData

extension PostgresConfiguration: StatementLogging {}

extension StatementLog {
  /// Reports what connections and pools do.
  var tracer: PostgresTracer {
    PostgresTracer(includesValues: includesValues) { [handle] trace in
      handle(
        .statement(
          Statement(
            sql: trace.sql, sqlWithValues: trace.expandedSQL, duration: trace.duration,
            rowCount: trace.rowCount, failure: trace.failure)))
    } noteWait: { [handle] wait in
      handle(
        .wait(
          Wait(
            reason: wait.isForWriting ? .writer : .reader, duration: wait.duration,
            isTimedOut: wait.isTimedOut)))
    }
  }
}

/// A part of a configuration that equal configurations may have differently.
struct Uncompared<Value: Sendable>: Hashable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static func == (lhs: Uncompared, rhs: Uncompared) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension PostgresStore: PlanProviding {
  /// The server's plan for a statement without its values, one line a step. The statement itself does
  /// not run, and the statement log receives nothing.
  /// - Throws: `PostgresError` if the text can't be prepared.
  package func queryPlan(of sql: String) throws -> [String] {
    try pool.read("the plan of a statement") { connection in
      try connection.untraced {
        let count = try connection.prepare(sql).parameterTypes.count
        // Values would be constants of the plan, so parameters stay parameters.
        let values = Array(repeating: "NULL", count: count).joined(separator: ", ")
        return try connection.transaction(.snapshot) {
          try connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
          try connection.execute("PREPARE opensd_plan AS \(sql)")
          defer { try? connection.execute("DEALLOCATE opensd_plan") }
          let name = "opensd_plan" + (count == 0 ? "" : "(\(values))")
          return try connection.texts("EXPLAIN EXECUTE \(name)")
        }
      }
    }
  }
}
