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

  init(_ numbers: [(name: String, number: Int)]) {
    self.numbers = Dictionary(numbers, uniquingKeysWith: { first, _ in first })
    largest = numbers.map(\.number).max() ?? 0
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
}
