/// Is asked before a store runs a statement, so that tests can make it fail (`SwiftDataTesting`).
///
/// A store without an interceptor has an ordinary driver, so that this costs it nothing. Called on
/// the thread that uses the store, while it has a connection.
package protocol StatementInterceptor: AnyObject, Sendable {
  /// - Parameters:
  ///   - sql: The text of a statement of the engine; transactions have functions of their own.
  ///   - count: How often it runs, once for each row of a batch.
  /// - Throws: An error that takes the place of all these runs.
  func willRun(_ sql: String, times count: Int) throws

  /// Called before a save begins.
  /// - Throws: An error that takes the place of the begin.
  func willBeginSave() throws

  /// Called before a save commits. Everything of the save has been written.
  /// - Throws: An error that takes the place of the commit; the save is rolled back.
  func willCommitSave() throws

  /// Called before another transaction of a context commits.
  /// - Throws: An error that takes the place of the commit; the transaction is rolled back.
  func willCommitTransaction() throws
}
