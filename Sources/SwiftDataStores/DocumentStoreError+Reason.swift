public import SwiftData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension DocumentStoreError {
  /// Why the call failed, as for errors of contexts.
  ///
  /// ```swift
  /// func isRepeated(after error: any Error) -> Bool {
  ///   switch error {
  ///   case let error as SwiftDataError: error.reason.isTransient
  ///   case let error as DocumentStoreError: error.reason.isTransient
  ///   default: false
  ///   }
  /// }
  /// ```
  ///
  /// A wrong value, a wrong link or a repeated unique value is
  /// `SwiftDataError.Reason.storeDamaged` if it is on a line of the file. Otherwise the saved models have
  /// it, and the reason is the same as in other stores.
  public var reason: SwiftDataError.Reason {
    if let denial { return .deletionDenied(entity: denial.entity, property: denial.property) }
    return switch code {
    case .unreadableFile, .missingFile: .unavailable
    case .damagedFile, .unknownFormat: .storeDamaged
    case .newerSchema, .unknownContent: .schemaMismatch
    case .invalidValue, .invalidLink, .duplicateValue, .deniedDeletion:
      line == nil ? reasonOfModels : .storeDamaged
    case .locked: .busy
    case .notWritten:
      switch systemError {
      case ENOSPC?, EDQUOT?: .diskFull
      case EROFS?, EACCES?, EPERM?: .readOnly
      default: .unavailable
      }
    }
  }

  /// What went wrong in a sentence that a server may send to its clients: without path, key and value.
  public var publicMessage: String { reason.publicSentence }

  private var reasonOfModels: SwiftDataError.Reason {
    switch code {
    case .duplicateValue:
      .uniqueValueTaken(
        entity: entity ?? "", properties: property?.split(separator: ", ").map(String.init) ?? [],
        holder: nil)
    default: .invalidValue(entity: entity, property: property)
    }
  }
}
