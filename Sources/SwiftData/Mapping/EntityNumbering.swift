/// The numbers that a file has given to its entities: `Z_ENT` of their rows, and part of the names
/// of columns and tables that lead to them.
///
/// A mapping takes them as they are. Entities that the file does not know get the numbers behind its
/// largest one, so adding a model renumbers no other.
package struct EntityNumbering: Hashable, Sendable {
  /// Numbers from here on belong to book-keeping entities: history and mirroring.
  package static let reserved = 16_000

  /// By entity name.
  private let numbers: [String: Int]
  private let largest: Int
  /// The roots of hierarchies whose table has rows of entities that the models do not name.
  private let sharedRoots: Set<String>

  /// The numbering of a new file: from 1, in the order of the names.
  package static let fresh = EntityNumbering(stored: [], models: [])

  /// - Parameters:
  ///   - stored: The entities of the file; `superNumber` is 0 for a root.
  ///   - models: The names of the entities of the schema.
  package init(stored: [(name: String, number: Int, superNumber: Int)], models: Set<String>) {
    let own = stored.filter { EntityNumbering.isValid($0.number) }
    numbers = Dictionary(own.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    largest = own.map(\.number).max() ?? 0
    let byNumber = Dictionary(
      own.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    var roots: Set<String> = []
    for entity in own where !models.contains(entity.name) {
      var root = entity
      // The count ends the walk in a file whose superentities form a circle.
      for _ in own.indices {
        guard let parent = byNumber[root.superNumber] else { break }
        root = parent
      }
      roots.insert(root.name)
    }
    sharedRoots = roots
  }

  /// Whether an entity of a model may have the number.
  package static func isValid(_ number: Int) -> Bool { (1..<reserved).contains(number) }

  /// The number of each name; those without one are numbered in their order.
  func numbers(of names: [String]) -> [String: Int] {
    var result: [String: Int] = [:]
    var next = largest + 1
    for name in names {
      if let known = numbers[name] {
        result[name] = known
      } else {
        result[name] = next
        next += 1
      }
    }
    return result
  }

  /// Whether the table of a hierarchy has rows of entities that the models do not name.
  func hasOtherEntities(below root: String) -> Bool { sharedRoots.contains(root) }
}
