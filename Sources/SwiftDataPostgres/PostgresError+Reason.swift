package import OpenSwiftDataPostgresEngine
package import SwiftData

/// What an error of the server stands for. `SwiftDataError.reason` asks the cause of an error.
extension PostgresError: ReasonedError {
  package func reason(entity: String?, properties: [String]) -> SwiftDataError.Reason {
    if isOutcomeUnknown { return .outcomeUnknown }
    // The server has the same state for both.
    if kind == .cancelled { return .cancelled }
    if kind == .timeout { return .timedOut }
    // Among them are divisions by zero that stand for something else.
    if obstacle == .concurrentChange { return .busy }
    // A setting in the address that the server refuses, or a missing right to connect or to set it.
    if kind == .connection, ["22", "42"].contains(state?.category) { return .other }
    if isOfRowSecurity { return .invalidValue(entity: entity, property: properties.first) }
    if let known = PostgresError.reason(of: state, entity, properties) { return known }
    return switch kind {
    case .connection, .invalidAnswer: .unavailable
    case .timeout: .timedOut
    case .cancelled: .cancelled
    case .busy: .busy
    case .value: .invalidValue(entity: entity, property: properties.first)
    case .closed: .closed
    case .misuse: .invalidRequest
    case .server: .other
    }
  }

  private static func reason(
    of state: SQLState?, _ entity: String?, _ properties: [String]
  ) -> SwiftDataError.Reason? {
    switch state {
    case nil: nil
    case .uniqueViolation?:
      .uniqueValueTaken(entity: entity ?? "", properties: properties, holder: nil)
    case .programLimitExceeded?: .invalidValue(entity: entity, property: properties.first)
    case "23502"?: .requiredValueMissing(entity: entity ?? "", properties: properties)
    case .serializationFailure?, .deadlock?, .lockNotAvailable?, .tooManyConnections?: .busy
    case .statementCompletionUnknown?: .outcomeUnknown
    case "53100"?: .diskFull
    case "XX001"?, "XX002"?: .storeDamaged
    case .queryCanceled?, .idleInTransactionTimeout?, .transactionTimeout?: .timedOut
    case .readOnlyTransaction?, "42501"?: .readOnly
    // The address or the server has to change: no such database, setting or schema for new tables,
    // another encoding, no TLS.
    case "3D000"?, "3F000"?, "42704"?, .featureNotSupported?: .other
    // Undefined tables, columns and functions.
    case "42P01"?, "42703"?, "42883"?: .schemaMismatch
    case let state?: reason(ofCategory: state.category, entity, properties)
    }
  }

  /// Classes of https://www.postgresql.org/docs/15/errcodes-appendix.html.
  private static func reason(
    ofCategory category: String, _ entity: String?, _ properties: [String]
  ) -> SwiftDataError.Reason? {
    switch category {
    // Connections, operator intervention.
    case "08", "57": .unavailable
    // No such user, a wrong password: only a change of the address or the server helps.
    case "28": .other
    case "22", "23": .invalidValue(entity: entity, property: properties.first)
    // Insufficient resources, and errors of the system.
    case "53", "58": .unavailable
    default: nil
    }
  }
}
