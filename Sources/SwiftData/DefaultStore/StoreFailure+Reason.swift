import Foundation
package import OpenSwiftDataSQLiteEngine

extension SwiftDataError.Reason {
  /// What an error of SQLite stands for.
  package init(_ error: SQLiteError) {
    if error.isClosedPool {
      self = .closed
      return
    }
    self =
      switch error.code {
      case _ where error.isOutOfSpace: .diskFull
      case .busy, .locked: .busy
      case .corrupt, .notADatabase: .storeDamaged
      case .interrupted, .aborted: .cancelled
      // SQLITE_READONLY_DBMOVED: the file at the path is another one, until a new container opens it.
      case .readOnly where error.extendedCode == SQLiteError.movedFile: .schemaMismatch
      case .readOnly, .permission: .readOnly
      case .cannotOpen where error.isDenied: .readOnly
      case .inputOutput, .cannotOpen, .outOfMemory: .unavailable
      case .tooBig, .mismatch: .invalidValue(entity: nil, property: nil)
      case .schemaChanged: .schemaMismatch
      default: .other
      }
  }

  /// What an error of SQLite or of the file system stands for.
  init(storeError error: any Error) {
    if let error = error as? SQLiteError {
      self.init(error)
    } else {
      self.init(systemError: error)
    }
  }

  /// What an error of the file system stands for.
  package init(systemError error: any Error) {
    let cocoa = error as? CocoaError
    let system = error as? POSIXError ?? cocoa?.userInfo[NSUnderlyingErrorKey] as? POSIXError
    self =
      switch (system?.code, cocoa?.code) {
      case (.ENOSPC?, _), (.EDQUOT?, _), (_, .fileWriteOutOfSpace?): .diskFull
      case (.EACCES?, _), (.EPERM?, _), (.EROFS?, _), (_, .fileWriteNoPermission?),
        (_, .fileWriteVolumeReadOnly?):
        .readOnly
      case (.some, _), (_, .some): .unavailable
      case (nil, nil): .other
      }
  }
}

extension DatabaseFileProblem {
  /// What the problem stands for.
  package var reason: SwiftDataError.Reason {
    switch self {
    case .notADatabase, .damagedHeader, .truncated, .emptyBesideLog, .foreignLog, .foreignJournal:
      .storeDamaged
    case .newerFormat, .newerLog: .schemaMismatch
    case .unwritableFile, .unwritableFolder, .unfinishedTransaction: .readOnly
    case .folder, .notAFile, .unreadable, .unreadableLog: .unavailable
    }
  }
}
