import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// Random texts fed to every function of text that a predicate knows.
///
/// `OPENSWIFTDATA_FUZZ_ROUNDS` raises the number of texts, `OPENSWIFTDATA_RANDOM_SEED` begins with
/// another one. A failure names the text.
@Suite(.databases) struct TextFuzzTests {
  static let rounds =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_FUZZ_ROUNDS"].flatMap(Int.init) ?? 120

  private var random = SeededRandom(RandomPredicateTests.first)

  /// Every function, asked of a property and a captured text.
  private static func predicates(_ text: String) -> [Predicate<Label>] {
    [
      #Predicate { $0.text == text }, #Predicate { $0.text != text },
      #Predicate { $0.text < text }, #Predicate { $0.text >= text },
      #Predicate { $0.text.contains(text) }, #Predicate { $0.text.starts(with: text) },
      #Predicate { $0.text.hasPrefix(text) }, #Predicate { $0.text.hasSuffix(text) },
      #Predicate { $0.text.localizedStandardContains(text) },
      #Predicate { $0.text.localizedCaseInsensitiveContains(text) },
      #Predicate { $0.text.localizedCompare(text) == .orderedAscending },
      #Predicate { $0.text.localizedStandardCompare(text) == .orderedDescending },
      #Predicate { $0.text.caseInsensitiveCompare(text) == .orderedSame },
      #Predicate { $0.text.localizedCaseInsensitiveCompare(text) != .orderedSame },
      #Predicate { $0.text.lowercased() == text }, #Predicate { $0.text.uppercased() == text },
      #Predicate { $0.text.trimmingCharacters(in: .whitespaces) == text },
      #Predicate { $0.text + text == text + $0.text }, #Predicate { text.contains($0.text) },
      #Predicate { [text, "b"].contains($0.text) },
      #Predicate { ($0.maker?.name ?? text) == text },
      #Predicate { $0.jobs.contains { $0.words.contains(text) } },
      #Predicate { $0.maker?.entries.contains { $0.alias == text } == true },
    ]
  }

  private mutating func text() -> String {
    switch random.below(4) {
    case 0: return random.pick(Hostile.texts)
    case 1: return random.pick(Hostile.texts) + random.pick(Hostile.texts)
    case 2:
      let bytes = (0..<random.below(12)).map { _ in UInt8(random.below(256)) }
      return String(decoding: bytes, as: UTF8.self)
    default:
      let scalars = (0..<random.below(8)).compactMap { _ in
        Unicode.Scalar(UInt32(random.below(random.chance(70) ? 0x500 : 0x11_0000)))
      }
      return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
    }
  }

  @Test mutating func noTextLeavesTheBindings() throws {
    let court = try PredicateCourt()
    let filling = ModelContext(court.container)
    for _ in 0..<20 { filling.insert(Label(text: text(), maker: nil)) }
    try filling.save()
    let labels = try court.context.fetch(FetchDescriptor<Label>())
    var statements: [Int: Set<String>] = [:]
    for _ in 0..<Self.rounds {
      let text = text()
      for (number, predicate) in Self.predicates(text).enumerated() {
        let compiled = try court.compiled(predicate)
        statements[number, default: []].insert(
          compiled.shape.select([.star]).rendered(in: .sqlite).sql)
        let found = try court.context.fetch(FetchDescriptor(predicate: predicate))
        let expected = try labels.filter { try predicate.matches($0) }
        #expect(
          Set(found.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)),
          "predicate \(number) of \(String(reflecting: text))")
        #expect(found.count == expected.count, "predicate \(number)")
      }
    }
    // The number of spellings of a text decides between a few statements.
    for (number, texts) in statements { #expect(texts.count <= 12, "predicate \(number)") }
    #expect(try court.context.fetchCount(FetchDescriptor<Label>()) == labels.count)
  }

  @Test mutating func functionsTakeWhateverAFileHolds() {
    func value() -> _StoredValue {
      switch random.below(6) {
      case 0: .null
      case 1: .integer(Int64(random.pick(Hostile.numbers)))
      case 2: .real(random.pick(Hostile.reals.filter { !$0.isNaN }))
      case 3: .blob(Data((0..<random.below(20)).map { _ in UInt8(random.below(256)) }))
      case 4: .blob(Data(#"["a",1,null,{"b":2}]"#.utf8.prefix(random.below(21))))
      default: .text(text())
      }
    }
    for function in SQLFunction.all {
      for _ in 0..<Self.rounds {
        let arguments = (0..<function.argumentCount).map { _ in value() }
        let (first, second) = (function.body(arguments), function.body(arguments))
        #expect("\(first)" == "\(second)", "\(function.name)\(arguments)")
      }
    }
  }
}
