import OpenSwiftDataCSQLite

/// A primary result code of SQLite.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue & 0xFF
  }

  package static let error = ResultCode(rawValue: SQLITE_ERROR)
  package static let permission = ResultCode(rawValue: SQLITE_PERM)
  package static let aborted = ResultCode(rawValue: SQLITE_ABORT)
  package static let busy = ResultCode(rawValue: SQLITE_BUSY)
  package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
  package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  package static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
  package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
  package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  package static let full = ResultCode(rawValue: SQLITE_FULL)
  package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  package static let schemaChanged = ResultCode(rawValue: SQLITE_SCHEMA)
  package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  package static let range = ResultCode(rawValue: SQLITE_RANGE)
  package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}

extension ResultCode: CustomStringConvertible {
  /// The name in SQLite's documentation.
  package var description: String {
    switch self {
    case .error: "SQLITE_ERROR"
    case .permission: "SQLITE_PERM"
    case .aborted: "SQLITE_ABORT"
    case .busy: "SQLITE_BUSY"
    case .locked: "SQLITE_LOCKED"
    case .outOfMemory: "SQLITE_NOMEM"
    case .readOnly: "SQLITE_READONLY"
    case .interrupted: "SQLITE_INTERRUPT"
    case .inputOutput: "SQLITE_IOERR"
    case .corrupt: "SQLITE_CORRUPT"
    case .full: "SQLITE_FULL"
    case .cannotOpen: "SQLITE_CANTOPEN"
    case .schemaChanged: "SQLITE_SCHEMA"
    case .tooBig: "SQLITE_TOOBIG"
    case .constraint: "SQLITE_CONSTRAINT"
    case .mismatch: "SQLITE_MISMATCH"
    case .misuse: "SQLITE_MISUSE"
    case .range: "SQLITE_RANGE"
    case .notADatabase: "SQLITE_NOTADB"
    default: "SQLite result"
    }
  }
}
