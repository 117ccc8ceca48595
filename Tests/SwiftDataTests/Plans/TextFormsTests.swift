import Foundation
import SwiftData
import Testing

/// Texts that Swift takes for equal are equal in the store, whichever index answers.
struct TextFormsTests {
  static let alphabets: [[Unicode.Scalar]] = [
    ["a", "\u{e1}", "\u{301}", "\u{323}", "\u{1ea1}", "\u{1eb7}", "\u{306}", "\u{103}"],
    ["A", "\u{c5}", "\u{212b}", "\u{30a}", "K", "\u{212a}", ";", "\u{37e}"],
    ["\u{1100}", "\u{1161}", "\u{11a8}", "\u{ac00}", "\u{ac01}", "b"],
    ["\u{8c48}", "\u{f900}", "\u{915}", "\u{93c}", "\u{958}", "\u{9c7}", "\u{9be}", "\u{9cb}"],
  ]

  /// All texts of up to three scalars.
  private func texts(_ alphabet: [Unicode.Scalar]) -> [String] {
    var all = [""]
    var longest = [""]
    for _ in 0..<3 {
      longest = longest.flatMap { text in alphabet.map { text + String($0) } }
      all += longest
    }
    // Two texts of other scalars may be the same string only when they are the same scalars.
    var seen: Set<[UInt8]> = []
    return all.filter { seen.insert(Array($0.utf8)).inserted }
  }

  @Test(arguments: alphabets) func equalTextsAreFound(alphabet: [Unicode.Scalar]) throws {
    let bench = try PlanBench(Asset.self, Photo.self, Holder.self, Mark.self)
    let texts = texts(alphabet)
    for (number, text) in texts.enumerated() { bench.context.insert(Asset(number, name: text)) }
    try bench.context.save()
    let context = ModelContext(bench.container)
    func found(_ predicate: Predicate<Asset>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
    }
    for text in texts.enumerated().filter({ $0.offset % 7 == 0 || $0.offset < 80 }).map(\.element) {
      let equal = texts.indices.filter { texts[$0] == text }
      let scalars = text.unicodeScalars.map { String($0.value, radix: 16) }
      #expect(try found(#Predicate { $0.name == text }) == equal, "\(scalars)")
      let longer = texts.indices.filter { texts[$0].hasPrefix(text) }
      #expect(try found(#Predicate { $0.name.hasPrefix(text) }) == longer, "\(scalars)")
    }
  }
}
