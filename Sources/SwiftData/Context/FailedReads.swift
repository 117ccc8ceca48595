/// Reads of the store that failed where nobody can throw: a fault, a relationship, a prefetch. The model asks
/// again next time. A save that needs the answer throws instead of going on as if there were nothing.
///
/// Used on the thread of the context only.
struct FailedReads {
  private var first: (any Error)?

  mutating func note(_ error: any Error) { first = first ?? error }

  /// Forgets what has failed until now.
  mutating func removeAll() { first = nil }

  /// - Throws: `SwiftDataError.storeReadFailure` when a read has failed.
  func throwFirst() throws {
    guard let first else { return }
    throw SwiftDataError.storeReadFailure.with(
      "Nothing was saved: models that the delete rules and the validation need could not be read. Save again.",
      doing: "saving", underlying: first)
  }
}

extension ContextCore {
  func noteFailedRead(_ error: any Error) { failedReads.note(error) }

  /// - Returns: `nil` where the read fails.
  func noteFailedRead<R>(_ read: () throws -> R) -> R? {
    do {
      return try read()
    } catch {
      noteFailedRead(error)
      return nil
    }
  }
}
