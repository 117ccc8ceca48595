import OpenSwiftDataCPostgres

extension PostgresError {
  /// The error that a result reports.
  init(result: OpaquePointer, sql: String?) {
    func field(_ code: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        .flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let code = field("C") else {
      // libpq made the error itself: the connection is lost or out of step.
      let text = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
      self.init(libraryMessage: text, sql: sql)
      return
    }
    let state = SQLState(rawValue: code)
    let text = field("M") ?? "unknown error"
    // Messages about data quote the value.
    let message = state.category == "22" ? PostgresError.withoutQuotedParts(text) : text
    let kind: Kind =
      switch state.category {
      case "08": .connection
      case "57" where state != .queryCanceled: .connection
      default: .server
      }
    self.init(kind, message, state: state, sql: sql)
    endsSession = ["FATAL", "PANIC"].contains(field("V") ?? field("S"))
    hint = field("H")
    schema = field("s")
    table = field("t")
    column = field("c")
    constraint = field("n")
    routine = field("R")
    if state == .dependentObjectsExist {
      // This detail names objects, no values. The hint suggests to drop them with CASCADE.
      dependents = field("D").map(PostgresError.oneLine)
      hint = nil
    }
    if state == .uniqueViolation {
      constrainedColumns = field("D").map(PostgresError.columns(inDetail:)) ?? []
    }
  }

  /// An error that libpq reports with a text only.
  init(libraryMessage: String, sql: String?) {
    let text = PostgresError.oneLine(libraryMessage)
    // libpq's texts for messages that contradict the protocol. They are translated only if the
    // process has set a locale.
    let isInvalid =
      // The versions of TLS are "protocols" too.
      !text.contains("SSL error:") && !text.contains("SSL protocol version range")
      && [
        "unexpected response", "unexpected message", "lost synchronization", "do not agree",
        "insufficient data",
        "invalid message",
        "message type", "out of sync", "protocol",
      ].contains { text.contains($0) }
    self.init(
      isInvalid ? .invalidAnswer : .connection,
      text.isEmpty ? "the connection was lost" : text, sql: sql)
  }

  /// The error for a refused connection, from libpq's verbose text
  /// (`FATAL:  57P03: the database system is starting up`): there is no result with fields.
  init(refusal text: String) {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.contains("LOCATION:") }
    let message = PostgresError.oneLine(lines.joined(separator: "\n"))
    guard let match = message.firstMatch(of: #/: +(?=[A-Z]*[0-9])([0-9A-Z]{5}): /#) else {
      self.init(libraryMessage: message, sql: nil)
      return
    }
    self.init(
      .connection, message.replacing(match.output.1 + ": ", with: "", maxReplacements: 1),
      state: SQLState(rawValue: String(match.output.1)))
  }

  static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline)
      .map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
  }

  /// Replaces what is between quotation marks, of any language.
  static func withoutQuotedParts(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: \.properties.isQuotationMark),
      let last = scalars.lastIndex(where: \.properties.isQuotationMark), first < last
    else { return text }
    return String(scalars[...first]) + "…" + String(scalars[last...])
  }

  /// The names of columns in `Key (a, b)=(1, 2) already exists.`, in any language.
  private static func columns(inDetail detail: String) -> [String] {
    guard let open = detail.firstIndex(of: "("),
      let close = detail.firstRange(of: ")=(")?.lowerBound, open < close
    else { return [] }
    return detail[detail.index(after: open)..<close].split(separator: ", ").map { name in
      guard name.count > 1, name.first == "\"", name.last == "\"" else { return String(name) }
      return String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
  }
}
