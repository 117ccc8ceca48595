import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres

/// The server of the tests, for files that import only what users do.
enum TestDatabase {
  static var isAvailable: Bool { PostgresServer.isAvailable }

  static func addressOfNewSchema() throws -> String {
    try PostgresServer.shared.addressOfNewSchema()
  }

  /// The rows of a query, each as a text with its values.
  static func texts(_ address: String, _ sql: String) throws -> [String] {
    try PostgresConnection(ConnectionParameters(address)).prepare(sql).values().map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .numeric(let number): "\(number)"
        default: "?"
        }
      }.joined(separator: " ")
    }
  }
}
