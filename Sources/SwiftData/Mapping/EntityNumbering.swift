/// The numbers of entities in a file: in `Z_ENT` of their rows, and in the names of some columns
/// and tables.
///
/// A mapping uses them unchanged. Entities that are new to the file get numbers after its largest
/// one, so adding a model renumbers no other.
package struct EntityNumbering: Hashable, Sendable {
  /// Numbers from here on belong to entities of the frameworks, for history and mirroring.
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

  /// The number of each name; names without a number get new ones in their order.
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
