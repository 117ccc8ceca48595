/// The numbers that entities have in a file: `Z_ENT` of their rows, and parts of the names of columns
/// and tables that lead to them.
extension ModelDescription {
  /// The numbers of a new file: from 1 on, hierarchy by hierarchy in the order of the roots' names.
  package var freshNumbers: [String: Int] {
    var numbers: [String: Int] = [:]
    for entity in roots.flatMap({ subtree(of: $0.name) }) where numbers[entity.name] == nil {
      numbers[entity.name] = numbers.count + 1
    }
    return numbers
  }
}
