/// Warns once for each list without an inverse whose member a save took from another owner.
enum SingleOwnerWarning {
  /// - Parameters:
  ///   - owner: The entity that declares the list.
  ///   - member: The entity that the list is declared with.
  static func note(owner: String, list: String, member: String) {
    let name = "\(owner).\(list)"
    WarningLog.write(
      "A save moved a \(member) from the \(list) of one \(owner) to those of another. \(name) has no inverse, "
        + "so each \(member) belongs to the \(owner) that it was added to last. If several are to have it, "
        + "declare an array of \(owner) in \(member) with @Relationship(inverse: \\\(name)).",
      onceFor: "single owner \(name)")
  }
}
