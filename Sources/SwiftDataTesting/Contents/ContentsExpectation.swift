import SwiftData

extension TestedContainer {
  /// All stored rows as text, in the form of a seed.
  ///
  /// ```swift
  /// print(try temporary.contents())
  /// ```
  ///
  /// Entities are in the order of their names, rows in the order of their keys. The `id` of a row is
  /// its number in that order, so texts of stores with other keys can be compared. It shows what is
  /// saved, with one line for each row. The text is a ``Seed``, if the models can be decoded.
  /// - Throws: `SwiftDataError` if a store can't be read, or the error of a value that can't be
  ///   encoded.
  public func contents() throws -> String { try StoreContents(testedContainer).text() }
}

/// Expects that the stores of a container have some rows.
///
/// ```swift
/// try expectContents(
///   """
///   {
///     "Stop": [
///       {"id": "1", "place": "Belém", "trip": null}
///     ]
///   }
///   """, in: temporary)
/// ```
///
/// The failure shows the lines that differ: `-` for expected ones, `+` for those of the store.
/// - Parameters:
///   - expected: The text of ``TestedContainer/contents()``.
///   - container: The container.
///   - fileID: The file of the call.
///   - filePath: The path of the file.
///   - line: The line of the call.
///   - column: The column of the call.
/// - Throws: `ExpectationFailure`, or an error of the store.
public func expectContents(
  _ expected: String, in container: some TestedContainer,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) throws {
  let actual = try container.contents()
  if actual == expected { return }
  throw ExpectationFailure(
    expected: "the given contents", outcome: "the store has others",
    details: LineDifference.lines(from: expected, to: actual),
    at: CallSite(fileID, filePath, line, column))
}

/// The lines of two texts, marked with the text that they are in.
enum LineDifference {
  static func lines(from old: String, to new: String) -> [String] {
    let (old, new) = (split(old), split(new))
    let difference = new.difference(from: old)
    var removed: Set<Int> = []
    var inserted: [Int: String] = [:]
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, let line, _): inserted[offset] = line
      }
    }
    var lines: [String] = []
    var position = 0
    for (offset, line) in old.enumerated() {
      if removed.contains(offset) {
        lines.append("- \(line)")
        continue
      }
      while let added = inserted[position] {
        lines.append("+ \(added)")
        position += 1
      }
      lines.append("  \(line)")
      position += 1
    }
    while let added = inserted[position] {
      lines.append("+ \(added)")
      position += 1
    }
    return lines
  }

  private static func split(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
