import OpenSwiftDataPostgresEngine
import Testing

/// Errors of servers that translate their messages (`lc_messages`).
struct TranslatedMessageTests {
  /// The error of a statement that the server rejects.
  private func rejection(
    _ state: String, _ message: String, routine: String = "", _ options: ConnectionOptions = .init()
  ) throws -> PostgresError? {
    let server = try FakeServer { client in
      client.accept()
      client.receive()
      let fields = ["SFEHLER", "VERROR", "C" + state, "M" + message, "R" + routine]
      client.send("E", fields.flatMap { Array($0.utf8) + [0] } + [0])
      client.send("Z", [UInt8(ascii: "I")])
      client.receive()
    }
    let connection = try PostgresConnection(server.parameters, options: options)
    return failure { try connection.execute("SELECT a") }
  }

  @Test(arguments: [
    "invalid input syntax for type integer: \"secret\"",
    "invalid input syntax for type integer: \"\u{301}secret\"",
    "ungültige Eingabesyntax für Typ integer: »secret«",
    "syntaxe en entrée invalide pour le type integer : « secret »",
    "sintassi di input non valida per il tipo integer: “secret”",
    "型integerに対する不正な入力構文：「secret」",
  ])
  func valuesInMessagesAboutDataAreReplaced(_ text: String) throws {
    let message = try #require(try rejection("22P02", text)?.message)
    #expect(message.contains("integer") && message.contains("…"), "\(message)")
    #expect(!message.contains("secret"), "\(message)")
  }

  /// Behind a pooler a statement outside of a transaction has the limit of its role.
  @Test(arguments: [
    (ConnectionOptions.Statements.pooled, PostgresError.Kind.timeout), (.unnamed, .cancelled),
  ])
  func aCancelledStatementIsExplainedByTheKnownLimits(
    _ statements: ConnectionOptions.Statements, _ kind: PostgresError.Kind
  ) throws {
    var options = ConnectionOptions()
    options.statements = statements
    let text = "storniere Anfrage wegen Zeitüberschreitung der Anfrage"
    #expect(try rejection("57014", text, options)?.kind == kind)
  }

  @Test func aRowThatAPolicyRefusesIsToldFromAMissingRight() throws {
    let text = "neue Zeile verletzt Policy für Sicherheit auf Zeilenebene für Tabelle »a«"
    let refused = try #require(try rejection("42501", text, routine: "ExecWithCheckOptions"))
    #expect(refused.isOfRowSecurity && refused.description.contains("policies"), "\(refused)")
    // Compatible servers have other routines.
    let english = "new row violates row-level security policy for table \"a\""
    let other = try #require(try rejection("42501", english, routine: "check_policy"))
    #expect(other.isOfRowSecurity && other.description.contains("policies"), "\(other)")
    let missing = try #require(
      try rejection("42501", "keine Berechtigung für Tabelle a", routine: "aclcheck_error"))
    #expect(!missing.isOfRowSecurity && missing.description.contains("GRANT"), "\(missing)")
  }
}
