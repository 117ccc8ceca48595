import Foundation
import SwiftData
import Testing

extension Travel {
  /// The table of reasons in the article *Errors* has each case of the type, with the status that the
  /// sample below it gives.
  @Suite struct ErrorTableTests {
    private static let sources = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/SwiftData")

    private static let samples: [SwiftDataError.Reason] = [
      .uniqueValueTaken(entity: "Trip", properties: ["name"], holder: nil), .notFound([]),
      .invalidIdentifier(.malformed), .requiredValueMissing(entity: "Trip", properties: ["name"]),
      .tooFewMembers(entity: "Trip", property: "stops", minimum: 1, count: 0),
      .tooManyMembers(entity: "Trip", property: "stops", maximum: 1, count: 2),
      .deletionDenied(entity: "Trip", property: "stops"), .invalidValue(entity: nil, property: nil),
      .conflict([]), .invalidRequest, .historyExpired, .busy, .timedOut, .cancelled, .unavailable,
      .closed, .readOnly, .diskFull, .storeDamaged, .schemaMismatch, .outcomeUnknown,
      .partiallySaved(committedStores: ["a"]), .other,
    ]

    private func name(_ reason: SwiftDataError.Reason) -> String {
      String("\(reason)".prefix { $0.isLetter })
    }

    /// The cases of the type, from its source.
    private func cases() throws -> [String] {
      let file = Self.sources.appendingPathComponent("Model/SwiftDataError+Reason.swift")
      let text = try String(contentsOf: file, encoding: .utf8)
      let type = try #require(text.components(separatedBy: "public enum Reason").dropFirst().first)
      return type.components(separatedBy: "\n  }\n")[0].split(separator: "\n")
        .filter { $0.hasPrefix("    case ") }
        .map { String($0.dropFirst(9).prefix { $0.isLetter }) }
    }

    /// The status of each reason in the article.
    private func table() throws -> [String: Int] {
      let file = Self.sources.appendingPathComponent("Documentation.docc/Errors.md")
      let text = try String(contentsOf: file, encoding: .utf8)
      let rows = text.components(separatedBy: "| reason | status |")[1]
        .components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2)
      var statuses: [String: Int] = [:]
      for row in rows {
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        for part in cells[0].components(separatedBy: ", ") {
          let name = part.trimmingCharacters(in: CharacterSet(charactersIn: "`"))
          #expect(statuses[name] == nil, "\(name) is in two rows")
          statuses[name] = Int(cells[1])
        }
      }
      return statuses
    }

    @Test func theTableHasEachReason() throws {
      let (cases, table) = (try cases(), try table())
      #expect(cases.count > 20)
      #expect(Set(table.keys) == Set(cases))
      #expect(Set(Self.samples.map(name)) == Set(cases))
      for reason in Self.samples {
        let error = SwiftDataError(.storeWriteFailure).with("secret", because: reason)
        #expect(
          ServerArticleTests().answer(to: error).status == table[name(reason)], "\(name(reason))")
      }
    }
  }
}
