import OpenSwiftDataStoreFormat
import SwiftData

/// Translates entity numbers of a source into those of a file, and back.
///
/// Migrations of a database keep the numbers of entities. Apple's framework derives those of a file from its model,
/// so a copy into a file has these, whatever the source has.
struct EntityRenumbering {
  /// The numbers in the file, by those of the source that differ.
  private let numbers: [Int64: Int64]
  private let originals: [Int64: Int64]

  /// - Parameters:
  ///   - source: The numbers of entities in the source, by name.
  ///   - file: The numbers of the model's entities in the file, by name.
  init(from source: [String: Int], to file: [String: Int]) {
    var numbers: [Int64: Int64] = [:]
    for (name, number) in source {
      if let new = file[name] { numbers[Int64(number)] = Int64(new) }
    }
    // Rows and changes may have numbers of no entity. One that an entity has in the file gets a number that is
    // free there, so that no row gets an entity, and each number has one original. If the source does not list an
    // entity of the model, there are too few of them.
    let (old, new) = (Set(numbers.keys), Set(file.values.map(Int64.init)))
    var free = old.subtracting(new).sorted()
    var next: Int64 = 0
    for number in new.subtracting(old).sorted() {
      if free.isEmpty {
        free.append(next)
        next -= 1
      }
      numbers[number] = free.removeFirst()
    }
    self.numbers = numbers.filter { $0.key != $0.value }
    originals = Dictionary(
      self.numbers.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether both have the same numbers.
  var isEmpty: Bool { numbers.isEmpty }

  /// The number in the file.
  func number(of original: Int64) -> Int64 { numbers[original] ?? original }

  /// A row of the source with the numbers in the file.
  func renumbered(_ row: [CopiedValue], of table: CopiedTable) -> [CopiedValue] {
    translated(row, of: table, by: numbers)
  }

  /// A row of the file with the numbers in the source.
  func original(_ row: [CopiedValue], of table: CopiedTable) -> [CopiedValue] {
    translated(row, of: table, by: originals)
  }

  /// The name in the file of a table of links, which begins with an entity number.
  func renumbered(table name: String) -> String {
    let digits = name.dropFirst(2).prefix { "0"..."9" ~= $0 }
    guard name.hasPrefix("Z_"), let original = Int64(digits), let number = numbers[original]
    else { return name }
    return "Z_\(number)\(name.dropFirst(2 + digits.count))"
  }

  private func translated(
    _ row: [CopiedValue], of table: CopiedTable, by numbers: [Int64: Int64]
  ) -> [CopiedValue] {
    if numbers.isEmpty { return row }
    var row = row
    for index in table.numberColumns {
      if let known = row[index].integer, let number = numbers[known] {
        row[index] = .integer(number)
      }
    }
    return row
  }
}

extension EntityRenumbering: CustomStringConvertible {
  /// The pairs of different numbers.
  var description: String {
    numbers.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }
}
