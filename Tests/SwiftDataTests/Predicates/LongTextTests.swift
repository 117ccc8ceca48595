import Foundation
import SwiftData
import Testing

/// Texts of a megabyte, whose accents have several spellings.
@Suite(.databases) struct LongTextTests {
  private static let patterns = ["né", "ne\u{301}", "漢字", "각", "क़ः", "a\u{323}\u{307}x"]

  /// Pieces of a text map as the whole does.
  @Test(arguments: patterns) func piecesAreMappedAsTheWhole(pattern: String) {
    for count in [1, 255, 256, 257, 1021, 1700] {
      let text = String(repeating: pattern, count: count) + "z"
      #expect(
        Array(text.canonicallyComposed.unicodeScalars)
          == Array(text.precomposedStringWithCanonicalMapping.unicodeScalars))
      #expect(
        Array(text.canonicallyDecomposed.unicodeScalars)
          == Array(text.decomposedStringWithCanonicalMapping.unicodeScalars))
    }
  }

  /// Four times the text takes about four times as long, not sixteen times.
  @Test(arguments: patterns) func longTextsAreComparedInLinearTime(pattern: String) throws {
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    func seconds(_ size: Int) throws -> Duration {
      let text = String(repeating: pattern, count: size / pattern.utf8.count)
      context.insert(Book(title: text.decomposedStringWithCanonicalMappingInPieces, pages: size))
      try context.save()
      let request = FetchDescriptor<Book>(predicate: #Predicate { $0.title == text })
      var found: [Int] = []
      let time = try ContinuousClock().measure {
        found = try ModelContext(container).fetch(request).map(\.pages)
      }
      #expect(found == [size])
      return time
    }
    _ = try seconds(1000)
    let (short, long) = (try seconds(125_000), try seconds(1_000_000))
    #expect(long < max(short * 30, .milliseconds(200)), "\(short), \(long)")
  }
}

extension String {
  /// Another spelling, for a text that is too long for Foundation's mapping.
  fileprivate var decomposedStringWithCanonicalMappingInPieces: String {
    var result = ""
    for character in self { result += String(character).decomposedStringWithCanonicalMapping }
    return result
  }
}
