import OpenSwiftDataCPostgres

/// Opens a connection without blocking longer than its limits.
///
/// Each host has a time limit, which its addresses share. Host names are looked up with a blocking call of the
/// system, which has limits of its own.
struct ConnectionOpening {
  private let parameters: ConnectionParameters
  private let options: ConnectionOptions
  private let notices: NoticeReceiver
  private let deadline: Deadline

  init(
    _ parameters: ConnectionParameters, _ options: ConnectionOptions, _ notices: NoticeReceiver,
    deadline: Deadline
  ) {
    self.parameters = parameters
    self.options = options
    self.notices = notices
    self.deadline = deadline
  }

  /// Tries the hosts in their order.
  func open() throws -> OpaquePointer {
    cpostgres_fill_standard_descriptors()
    try parameters.check()
    let resolved = resolvedParameters()
    let limit = options.connectTimeout(resolved)
    let attempts = parameters.attempts(resolved: resolved)
    var failures: [PostgresError] = []
    for (index, attempt) in attempts.enumerated() {
      if deadline.isPast, let last = failures.last { throw last }
      // A host that does not answer leaves time for those after it.
      let share = deadline.share(of: attempts.count - index)
      let end = share.earlier(Deadline(after: limit))
      if let handle = try connect(toHostOf: attempt, resolved, end, &failures) { return handle }
    }
    guard let last = failures.last else { throw failure("no host is given") }
    throw last.joined(with: failures, database: parameters.description)
  }

  /// Tries the addresses of a host in their order.
  /// - Parameter failures: Receives the errors.
  /// - Returns: `nil` if no address accepts the connection.
  private func connect(
    toHostOf parameters: ConnectionParameters, _ resolved: ConnectionParameters,
    _ deadline: Deadline, _ failures: inout [PostgresError]
  ) throws -> OpaquePointer? {
    let attempts: [ConnectionParameters]
    do {
      attempts = try parameters.addressAttempts(resolved: resolved, options.lookUp)
    } catch let error as PostgresError {
      failures.append(error.with(sql: nil, database: parameters.description))
      return nil
    }
    for (index, attempt) in attempts.enumerated() {
      do {
        return try connect(attempt, resolved, deadline.share(of: attempts.count - index))
      } catch let error as PostgresError {
        failures.append(error)
        // As in libpq, a host that has refused for good is not asked at its other addresses.
        if error.repetition == .never { break }
      }
    }
    return nil
  }

  /// The parameters with those of the environment and of service files.
  private func resolvedParameters() -> ConnectionParameters {
    // libpq reads a service that the parameters name when it starts to connect.
    if parameters["service"] != nil, let handle = begin(parameters) {
      defer { PQfinish(handle) }
      return parameters.completed(by: PQconninfo(handle))
    }
    return parameters.completed(by: PQconndefaults())
  }

  /// - Parameter resolved: The parameters with those of the environment and of service files.
  private func start(
    _ parameters: ConnectionParameters, _ resolved: ConnectionParameters
  ) -> OpaquePointer? {
    var parameters = parameters.withNetworkLimits(resolved: resolved)
    if parameters["application_name"] == nil {
      parameters["fallback_application_name"] = options.applicationName
    }
    parameters["client_encoding"] = "UTF8"
    // A pooler that changes the server's session refuses settings of a session.
    if options.statements != .pooled {
      let settings = options.settings.map { "-c \($0.name)=\($0.milliseconds)" }
      // A role may have set this to off. The history is written with arrays that contain nulls.
      let arrays = "-c array_nulls=on"
      // The last setting is valid: those of the caller.
      let all = settings + [arrays, resolved["options"] ?? ""]
      parameters["options"] = all.filter { !$0.isEmpty }.joined(separator: " ")
    }
    return begin(parameters)
  }

  /// Begins to connect.
  private func begin(_ parameters: ConnectionParameters) -> OpaquePointer? {
    let keywords = parameters.keywords
    let texts = keywords + keywords.map { parameters[$0] ?? "" }
    // One block of memory for all texts, so that they have stable addresses.
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for text in texts {
      offsets.append(bytes.count)
      bytes += text.utf8CString
    }
    return bytes.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = []
      for offset in offsets { pointers.append(buffer.baseAddress.map { $0 + offset }) }
      return PQconnectStartParams(
        Array(pointers[..<keywords.count]) + [nil], Array(pointers[keywords.count...]) + [nil], 0)
    }
  }

  private func connect(
    _ parameters: ConnectionParameters, _ resolved: ConnectionParameters, _ deadline: Deadline
  ) throws -> OpaquePointer {
    guard let handle = start(parameters, resolved) else { throw failure("out of memory") }
    do {
      notices.attach(to: handle)
      // Only so the message of a refused connection contains the SQLSTATE.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      var state = PGRES_POLLING_WRITING
      while true {
        if PQstatus(handle) == CONNECTION_BAD { throw failure(handle, parameters, resolved) }
        if state == PGRES_POLLING_OK { break }
        if state == PGRES_POLLING_FAILED { throw failure(handle, parameters, resolved) }
        let events = state == PGRES_POLLING_READING ? CPOSTGRES_READABLE : CPOSTGRES_WRITABLE
        let found = cpostgres_wait(
          PQsocket(handle), -1, events, deadline.milliseconds)
        if deadline.isPast {
          let server = parameters["hostaddr"].map { "the server at \($0)" } ?? "the server"
          var error = PostgresError(.timeout, "\(server) did not accept a connection in time")
          error.database = parameters.description
          error.state = .connectionFailure
          throw error
        }
        if found < 0 { throw failure("waiting for the socket failed") }
        if found > 0 { state = PQconnectPoll(handle) }
      }
      try check(handle)
      return handle
    } catch {
      PQfinish(handle)
      throw error
    }
  }

  private func check(_ handle: OpaquePointer) throws {
    guard PQprotocolVersion(handle) >= 3, PQserverVersion(handle) >= 120_000 else {
      throw unsupported("the server is older than PostgreSQL 12")
    }
    // Texts in another encoding would not be compared as Unicode.
    let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
    guard encoding == nil || encoding == "UTF8" else {
      throw unsupported("the database has the encoding \(encoding ?? ""), but UTF8 is needed")
    }
    if PQsetnonblocking(handle, 1) != 0 { throw failure("the socket cannot be made non-blocking") }
  }

  /// The error for a server that does not change by another attempt.
  private func unsupported(_ message: String) -> PostgresError {
    var error = failure(message)
    error.state = .featureNotSupported
    return error
  }

  /// The error of an address. With `sslmode=prefer` or `allow`, libpq tries with and without encryption, and reports
  /// both reasons. One that the server says may pass decides: that attempt can succeed later.
  /// - Parameter resolved: The parameters with those of the environment and of service files.
  private func failure(
    _ handle: OpaquePointer, _ parameters: ConnectionParameters, _ resolved: ConnectionParameters
  ) -> PostgresError {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? "unknown error"
    let attempts = ConnectionOpening.attempts(in: text)
    let needsPassword = PQconnectionNeedsPassword(handle) != 0
    let failures = attempts.enumerated().map { index, text in
      // libpq tells it of the last attempt.
      let needsPassword = needsPassword && index == attempts.count - 1
      return failure(text, needsPassword: needsPassword, parameters, resolved)
    }
    let decisive =
      failures.first { $0.state != nil && $0.repetition != .never }
      ?? failures.first { $0.repetition == .never } ?? failures[0]
    return decisive.joined(with: failures, database: parameters.description)
  }

  /// The parts of a text of libpq, of which each begins with the address.
  private static func attempts(in text: String) -> [String] {
    var attempts: [String] = []
    for line in text.split(whereSeparator: \.isNewline) {
      if attempts.isEmpty || line.hasPrefix("connection to server ") {
        attempts.append(String(line))
      } else {
        attempts[attempts.count - 1] += "\n" + line
      }
    }
    return attempts.isEmpty ? [text] : attempts
  }

  private func failure(
    _ text: String, needsPassword: Bool, _ parameters: ConnectionParameters,
    _ resolved: ConnectionParameters
  ) -> PostgresError {
    var error = PostgresError(refusal: parameters.withoutSecrets(text))
    if needsPassword {
      if error.state == nil { error.state = .featureNotSupported }
      error.remedy =
        "Set the password in the parameters, in PGPASSWORD or in a password file, which only its owner "
        + "may read."
    }
    // The texts of libpq, which sends no state for them.
    if text.contains("unsupported startup parameter") {
      error.state = .featureNotSupported
      error.remedy = poolerAdvice(resolved)
    } else if text.contains("server does not support SSL") {
      error.state = .featureNotSupported
      error.remedy =
        "The sslmode of the address demands encryption: turn on ssl at the server, or set another "
        + "sslmode in a network that nobody else uses."
    } else if let refusal = EncryptionRefusal(text, error.state) {
      error.state = .featureNotSupported
      error.remedy = refusal.remedy
    } else if ConnectionOpening.refusesParameter(text) {
      error.state = .featureNotSupported
      error.remedy =
        "Correct the parameter that the message names, in the address, the service file or the environment."
    }
    error.database = parameters.description
    return error
  }

  /// Whether libpq refuses a parameter, or the server does not fulfil it: another attempt can't help.
  private static func refusesParameter(_ text: String) -> Bool {
    [
      ("definition of service \"", " not found"), ("service file \"", " not found"),
      ("syntax error in service file", ""), ("requirepeer ", ""), ("weak sslmode ", ""),
      ("GSSAPI encryption", "required"),
      ("channel binding ", "required"), ("invalid ", " value: \""),
      ("invalid integer value \"", ""),
    ].contains { text.contains($0.0) && ($0.1.isEmpty || text.contains($0.1)) }
  }

  /// What to do if a pooler refuses settings of sessions.
  private func poolerAdvice(_ resolved: ConnectionParameters) -> String {
    var steps: [String] = []
    if options.statements != .pooled {
      steps.append("set usesTransactionPooling of the configuration")
    }
    if resolved["options"]?.isEmpty == false {
      steps.append(
        "remove options= from the address (or PGOPTIONS) and set what it sets for the role, as in "
          + "ALTER ROLE app SET search_path = library")
    }
    if steps.isEmpty { steps.append("remove the parameter from the address") }
    return "A pooler refuses settings of sessions: \(steps.joined(separator: ", and "))."
  }

  private func failure(_ message: String) -> PostgresError {
    var error = PostgresError(.connection, message)
    error.database = parameters.description
    return error
  }
}
