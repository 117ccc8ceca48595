import OpenSwiftDataCPostgres

/// The address of a database and how to connect to it: the parameters of libpq, by their keywords.
///
/// Descriptions and dumps contain hosts, port, database and user only. No error repeats the text
/// from which parameters are made, because parts of a password may be anywhere in a malformed text.
package struct ConnectionParameters: Hashable, Sendable {
  private var values: [String: String] = [:]

  package init() {}

  /// Parses a URL (`postgresql://user@host:5432/database?sslmode=verify-full`) or keywords
  /// (`host=… dbname=…`).
  /// - Throws: `PostgresError` of kind `misuse`, without the text.
  package init(_ text: String) throws {
    guard !text.utf8.contains(0) else { throw ConnectionParameters.malformed("a zero byte") }
    try ConnectionParameters.checkURL(text)
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      PQfreemem(message)
      throw ConnectionParameters.malformed("an unknown keyword, or a missing = or quote")
    }
    defer { PQconninfoFree(options) }
    add(options)
    try checkPorts()
  }

  /// The value of a keyword of libpq, such as `host` or `sslrootcert`; `nil` if it is not set.
  package subscript(keyword: String) -> String? {
    get { values[keyword] }
    set { values[keyword] = newValue }
  }

  /// Adds values for keywords that are not set, and frees the options.
  func completed(by options: UnsafeMutablePointer<PQconninfoOption>?) -> ConnectionParameters {
    guard let options else { return self }
    defer { PQconninfoFree(options) }
    var completed = ConnectionParameters()
    completed.add(options)
    completed.values.merge(values) { $1 }
    return completed
  }

  private mutating func add(_ options: UnsafeMutablePointer<PQconninfoOption>) {
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
  }

  var keywords: [String] { values.keys.sorted() }

  /// Values that must not appear in an error.
  var secrets: [String] {
    ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty }
  }

  func withoutSecrets(_ text: String) -> String {
    secrets.reduce(text) { $0.replacing($1, with: "…") }
  }

  /// Throws for values that libpq would cut off or reject.
  func check() throws {
    for (keyword, value) in values where value.utf8.contains(0) || keyword.utf8.contains(0) {
      throw PostgresError(
        .misuse, "the connection parameter \(keyword) contains a zero byte")
    }
    try checkPorts()
  }

  /// A password with `/`, `?` or `#` that is not encoded would become part of the port, or of the
  /// database's name, which errors contain.
  private static func checkURL(_ text: String) throws {
    guard let start = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return }
    let rest = text.dropFirst(start.count)
    for part in rest.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
      .dropFirst()
    {
      let digits = part.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
      else {
        throw malformed("a % in a name or password, where %25 is needed")
      }
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let tail = rest[authority.endIndex...]
    if tail.contains("@") || authority.count(where: { $0 == "@" }) > 1 || tail.hasPrefix("#") {
      throw malformed("an @, /, ? or # in a name or password, where %40, %2F, %3F or %23 is needed")
    }
  }

  private func checkPorts() throws {
    let ports = (self["port"] ?? "").split(separator: ",", omittingEmptySubsequences: true)
    guard ports.allSatisfy({ Int($0).map { 1...65_535 ~= $0 } ?? false }) else {
      throw ConnectionParameters.malformed("a port that is not a number from 1 to 65535")
    }
  }

  private static func malformed(_ cause: String) -> PostgresError {
    PostgresError(
      .misuse,
      "the connection parameters contain \(cause). They are not shown, because they may contain "
        + "a password. Write postgresql://user:password@host:port/database?keyword=value, with "
        + "percent-encoded values, or keyword='value' pairs")
  }
}

extension ConnectionParameters: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The database, its hosts and the user.
  package var description: String {
    // What a service has is read when its connection is opened.
    if self["service"] != nil { return description(resolved: self) }
    return description(resolved: completed(by: PQconndefaults()))
  }

  /// - Parameter resolved: The parameters with those of the environment.
  package func description(resolved: ConnectionParameters) -> String {
    func value(_ keyword: String) -> String? { resolved[keyword].flatMap { $0.isEmpty ? nil : $0 } }
    var text = "the PostgreSQL database"
    let service = value("service")
    if let database = value("dbname") ?? (service == nil ? value("user") : nil) {
      text += " \(database)"
    }
    if let host = value("host") ?? value("hostaddr") {
      text += " at \(host)"
      if let port = value("port"), self["port"] != nil || port != ConnectionParameters.defaultPort {
        text += ":\(port)"
      }
    } else if let service {
      text += " of the service \(service)"
    }
    if let user = self["user"] { text += " (user \(user))" }
    return text
  }

  private static let defaultPort = "5432"

  package var debugDescription: String { description }

  package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
