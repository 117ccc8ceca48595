public import SwiftData

extension ModelContainer {
  /// Makes later reads of this container include the transactions up to a token.
  ///
  /// Use it where a client's next request may reach another process: the process that saved returns
  /// the token, for example in a cookie, and the other one calls this before it fetches. Then the
  /// client sees its own changes even if the other process reads from a standby that lags. It does
  /// not wait: a fetch goes to a standby that has replayed the transactions, or to the primary server.
  ///
  /// ```swift
  /// let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: cookie)
  /// container.includeInReads(token)
  /// let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
  /// ```
  ///
  /// A token from a client is text that anybody can write: sign the cookie, or keep the token on the server.
  /// A cookie can't contain the quotes and commas of JSON: send it in base64url.
  /// A number that the primary server never gave is ignored, after a question to it.
  ///
  /// It has no effect for stores without standbys, whose reads see all commits, and for stores that
  /// the token does not contain. Not in Apple's framework.
  ///
  /// - Parameter token: A token of a transaction, or of several stores.
  public func includeInReads(_ token: DefaultHistoryToken) {
    for case let store as PostgresStore in stores { store.engine.includeInReads(token) }
  }

  /// The end of the histories of the container's stores in PostgreSQL.
  ///
  /// It includes all committed saves, and so do later reads of this container. Reads one number from the
  /// primary server of each store.
  ///
  /// ```swift
  /// try context.save()
  /// let cookie = try JSONEncoder().encode(container.lastHistoryToken())
  /// ```
  ///
  /// Not in Apple's framework.
  ///
  /// - Throws: `SwiftDataError.storeReadFailure`.
  public func lastHistoryToken() throws -> DefaultHistoryToken {
    var numbers: [String: Int64] = [:]
    for case let store as PostgresStore in stores {
      numbers[store.identifier] = try store.engine.lastTransactionNumber()
    }
    let token = DefaultHistoryToken(numbers)
    includeInReads(token)
    return token
  }
}
