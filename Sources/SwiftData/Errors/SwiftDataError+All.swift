extension SwiftDataError {
  /// How many failures the texts of one error name; `failures` has all of them.
  static let namedFailures = 20

  /// Throws one error that lists all failures; returns if there are none.
  package static func throwAll(_ failures: [SwiftDataError]) throws {
    guard let first = failures.first else { return }
    if failures.count == 1 { throw first }
    let all = failures.flatMap(\.failures)
    var lines = all.prefix(namedFailures).map { "- \($0.description)" }
    if all.count > namedFailures { lines.append("- and \(all.count - namedFailures) more") }
    throw first.with(
      "\(all.count) validation errors; nothing was saved:\n" + lines.joined(separator: "\n")
    ).listing(all)
  }

  /// The error of a save to several stores of which some have committed.
  static func partiallyCommitted(
    by names: [String], pending: [String], _ error: any Error
  ) -> SwiftDataError {
    let those = pending.count == 1 ? "its" : "their"
    return storeWriteFailure.with(
      "A save to several stores is incomplete. \(names.joined(separator: ", ")) committed: these models "
        + "are saved. \(pending.joined(separator: ", ")) did not: \(those) changes are still unsaved. Fix the "
        + "cause and save again (nothing is written twice), or roll back.", doing: "saving",
      underlying: error
    ).committed(by: names)
  }

  /// The error of an erasure of several stores, of which some are erased.
  static func partiallyErased(
    _ names: some Collection<String>, pending: some Collection<String>, _ error: any Error
  ) -> SwiftDataError {
    storeWriteFailure.with(
      "An erasure of several stores is incomplete. Erased: \(names.joined(separator: ", ")). Not erased: "
        + "\(pending.joined(separator: ", ")). Fix the cause and erase again.", doing: "erasing",
      underlying: error
    ).committed(by: Array(names))
  }
}

extension SwiftDataError {
  /// Deletions that would leave a required relationship without its model.
  /// - Parameters:
  ///   - links: Descriptions of the links that are left.
  ///   - consequence: A sentence that says what did not happen, with a space before it.
  static func requiredLinksLeft(
    _ links: [String], of entity: String, _ property: String, else consequence: String = ""
  ) -> SwiftDataError {
    let named = 5
    let more = links.count > named ? " and \(links.count - named) more" : ""
    return modelValidationFailure.with(
      "A deletion would leave a required relationship without its model: from "
        + "\(links.prefix(named).joined(separator: ", "))\(more). Delete the referring models too, give the "
        + "inverse relationship the delete rule .cascade, or make the relationship optional.\(consequence)",
      entity: entity, property: property,
      because: .deletionDenied(entity: entity, property: property))
  }
}
