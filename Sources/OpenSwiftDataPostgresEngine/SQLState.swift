/// The five characters with which a server classifies an error. The first two are its class.
package struct SQLState: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package init(stringLiteral value: String) { rawValue = value }

  package var category: String { String(rawValue.prefix(2)) }

  package static let noData: SQLState = "02000"
  package static let sequenceLimitExceeded: SQLState = "2200H"
  package static let insufficientPrivilege: SQLState = "42501"
  package static let dependentObjectsExist: SQLState = "2BP01"
  package static let datatypeMismatch: SQLState = "42804"
  package static let undefinedFunction: SQLState = "42883"
  package static let diskFull: SQLState = "53100"
  package static let featureNotSupported: SQLState = "0A000"
  package static let connectionFailure: SQLState = "08006"
  package static let uniqueViolation: SQLState = "23505"
  package static let failedTransaction: SQLState = "25P02"
  package static let readOnlyTransaction: SQLState = "25006"
  package static let idleInTransactionTimeout: SQLState = "25P03"
  package static let transactionTimeout: SQLState = "25P04"
  package static let unknownPreparedStatement: SQLState = "26000"
  package static let serializationFailure: SQLState = "40001"
  package static let statementCompletionUnknown: SQLState = "40003"
  package static let deadlock: SQLState = "40P01"
  package static let duplicatePreparedStatement: SQLState = "42P05"
  package static let tooManyConnections: SQLState = "53300"
  package static let programLimitExceeded: SQLState = "54000"
  package static let lockNotAvailable: SQLState = "55P03"
  package static let queryCanceled: SQLState = "57014"
  package static let adminShutdown: SQLState = "57P01"
  package static let crashShutdown: SQLState = "57P02"
  package static let cannotConnectNow: SQLState = "57P03"
  package static let idleSessionTimeout: SQLState = "57P05"
  package static let internalError: SQLState = "XX000"
}
