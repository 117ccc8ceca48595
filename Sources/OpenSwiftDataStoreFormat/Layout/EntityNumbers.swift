/// The numbers of entities in a file: in `Z_ENT` of their rows, and in the names of some columns
/// and tables.
extension ModelDescription {
  /// The numbers of a new file: from 1, hierarchy by hierarchy in the order of the roots' names.
  package var freshNumbers: [String: Int] {
    var numbers: [String: Int] = [:]
    for entity in roots.flatMap({ subtree(of: $0.name) }) where numbers[entity.name] == nil {
      numbers[entity.name] = numbers.count + 1
    }
    return numbers
  }
}
