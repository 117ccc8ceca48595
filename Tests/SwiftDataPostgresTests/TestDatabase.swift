import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres

/// The server of the tests, for files that import only what users do.
enum TestDatabase {
  static var isAvailable: Bool { PostgresServer.isAvailable }

  static func addressOfNewSchema() throws -> String {
    try PostgresServer.shared.addressOfNewSchema()
  }

  /// A text of random letters, which the server can't store in less space.
  static func incompressibleText(_ length: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return String((0..<length).map { _ in letters.randomElement(using: &generator)! })
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
