import Foundation
package import OpenSwiftDataPostgresEngine

/// A streaming standby of a test server, on the same socket folder with a port of its own.
///
/// Commands to one server must not run at the same time.
package struct PostgresStandby: Sendable {
  private let server: PostgresServer
  private let port: Int

  /// Copies the server, and starts the copy.
  package init(of server: PostgresServer, port: Int) throws {
    self.server = server
    self.port = port
    try server.run("copy \(port)")
  }

  package var parameters: ConnectionParameters {
    var parameters = server.parameters
    parameters["port"] = "\(port)"
    return parameters
  }

  /// The address with the same parameters as an address of the server.
  package func address(like address: String) -> String { address + " port=\(port)" }

  package func connect() throws -> PostgresConnection { try PostgresConnection(parameters) }

  /// Receives changes, but does not show them.
  package func pauseReplay() throws { try connect().execute("SELECT pg_wal_replay_pause()") }

  package func resumeReplay() throws { try connect().execute("SELECT pg_wal_replay_resume()") }

  /// Ends the standby without a shutdown, as after a crash.
  package func stop() throws { try server.run("stopcopy \(port)") }

  package func start() throws { try server.run("startcopy \(port)") }

  /// Makes a primary server of it.
  package func promote() throws { try server.run("promote \(port)") }
}
