import Foundation
import SwiftData
import Testing

@Suite(.databases) struct TextTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test(arguments: ["alp", "", "E", "e\u{301}", "ALPHA", "a 9", "é"])
  func searches(part: String) throws {
    try court.judge(#Predicate<Entry> { $0.name.contains(part) })
    try court.judge(#Predicate<Entry> { $0.name.starts(with: part) })
    try court.judge(#Predicate<Entry> { $0.name.hasPrefix(part) })
    try court.judge(#Predicate<Entry> { $0.name.hasSuffix(part) })
    try court.judge(#Predicate<Entry> { $0.name.localizedStandardContains(part) })
    try court.judge(#Predicate<Entry> { $0.alias?.contains(part) == true })
    try court.judge(#Predicate<Entry> { $0.alias?.contains(part) == false })
    try court.judge(#Predicate<Entry> { part.isEmpty || $0.name.contains(part) })
  }

  /// PostgreSQL can't have a text with U+0000, not even as a parameter.
  @Test(arguments: ["ea", "\0z"]) func characters(of text: String) throws {
    try court.judgeNarrowing(
      #Predicate<Entry> { entry in text.contains { entry.name.contains($0) } })
    try court.judge(#Predicate<Entry> { entry in text.allSatisfy { entry.name.contains($0) } })
  }

  @Test func transformations() throws {
    try court.judge(#Predicate<Entry> { $0.name.lowercased() == "alpha 10" })
    try court.judge(#Predicate<Entry> { $0.name.uppercased() == "BETA" })
    try court.judge(#Predicate<Entry> { $0.name + "!" == "alpha!" })
    try court.judge(#Predicate<Entry> { $0.name.count > 5 })
    try court.judge(#Predicate<Entry> { $0.name.isEmpty })
    try court.judge(#Predicate<Entry> { $0.alias?.isEmpty ?? true })
  }

  @Test(.sqliteOnly("asks the default store")) func orders() throws {
    try court.judge(
      #Predicate<Entry> { $0.name.caseInsensitiveCompare("ALPHA") == .orderedSame })
    try court.judge(
      #Predicate<Entry> { $0.name.localizedStandardCompare("alpha 9") == .orderedDescending })
  }
}
