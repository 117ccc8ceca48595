import SwiftDataTesting

/// The failure of an expectation. Macros change the columns of calls in their arguments, so that
/// tests of places use this.
func failure<R>(of body: () throws -> R) -> ExpectationFailure? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? ExpectationFailure
  }
}
