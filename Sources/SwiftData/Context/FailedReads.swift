/// Failed reads of a store where nothing can be thrown: a fault, a relationship, a prefetch. The
/// model tries again at the next access. A save that needs the result throws, instead of treating
/// it as empty.
///
/// Used on the thread of the context only.
final class FailedReads {
  private var first: (any Error)?

  func note(_ error: any Error) { first = first ?? error }

  /// Forgets the failures until now.
  func removeAll() { first = nil }

  /// - Throws: `SwiftDataError.storeReadFailure` if a read has failed.
  func throwFirst() throws {
    guard let first else { return }
    throw SwiftDataError.storeReadFailure.with(
      "Nothing was saved: models that the delete rules and the validation need could not be read. Save again.",
      doing: "saving", underlying: first)
  }

  /// - Returns: `nil` if the read fails.
  func noting<R>(_ read: () throws -> R) -> R? {
    do {
      return try read()
    } catch {
      note(error)
      return nil
    }
  }
}
