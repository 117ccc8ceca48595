import Foundation

extension String {
  /// The name in a database that limits the length of names: a longer name is cut, and ends with a
  /// part of its hash, so that two names remain different. The same name always gives the same
  /// result.
  /// - Parameter limit: The maximum length in bytes of UTF-8; `nil` if there is none.
  package func shortened(to limit: Int?) -> String {
    guard let limit, utf8.count > limit else { return self }
    let hash = SHA256.hash(of: Data(utf8)).prefix(5)
      .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let suffix = "_" + hash
    var kept = ""
    for scalar in unicodeScalars {
      let next = String(scalar)
      if kept.utf8.count + next.utf8.count + suffix.utf8.count > limit { break }
      kept += next
    }
    return kept + suffix
  }
}
