import Foundation
import SwiftData

enum PredicateRules {
  private typealias Entry = Specimens.Entry

  static let chapter = Chapter(
    name: "predicates", models: [Specimens.Entry.self],
    rules: [
      comparisons, compounds, dates, optionals, captured, texts, textOptions,
    ] + RelationshipPredicateRules.all)

  /// Entries 1 to 9: the odd ones have a rank, those from 7 a remark.
  private static func fill(_ trial: Trial) throws {
    try trial.save(
      (1...9).map { number in
        let entry = Entry(
          "Entry \(number)", number, rank: number % 2 == 0 ? nil : number,
          remark: number < 7 ? nil : "late \(number)",
          day: Date(timeIntervalSinceReferenceDate: Double(number)))
        entry.isMarked = number > 5
        return entry
      })
  }

  private static func expect(
    _ trial: Trial, _ text: String, _ predicate: Predicate<Entry>, _ numbers: [Int]
  ) throws {
    let descriptor = FetchDescriptor(predicate: predicate)
    let found = try trial.context().fetch(descriptor).map(\.number).sorted()
    trial.expect("The numbers with \(text)", found, numbers)
    trial.expect(
      "The count with \(text)", try trial.context().fetchCount(descriptor), numbers.count)
    trial.expect(
      "The number of identifiers with \(text)",
      try trial.context().fetchIdentifiers(descriptor).count, numbers.count)
  }

  private static let comparisons = Rule(
    "comparisons", .predicates, "A fetch with ==, !=, <, <=, > or >= returns what matches, only."
  ) { trial in
    try fill(trial)
    let limit = 4
    try expect(trial, "number == 4", #Predicate { $0.number == limit }, [4])
    try expect(trial, "number != 4", #Predicate { $0.number != limit }, [1, 2, 3, 5, 6, 7, 8, 9])
    try expect(trial, "number < 4", #Predicate { $0.number < limit }, [1, 2, 3])
    try expect(trial, "number <= 4", #Predicate { $0.number <= limit }, [1, 2, 3, 4])
    try expect(trial, "number > 4", #Predicate { $0.number > limit }, [5, 6, 7, 8, 9])
    try expect(trial, "number >= 4", #Predicate { $0.number >= limit }, [4, 5, 6, 7, 8, 9])
    try expect(trial, "number == 40", #Predicate { $0.number == 40 }, [])
    try expect(trial, "number * 2 == 8", #Predicate { $0.number * 2 == 8 }, [4])
  }

  private static let compounds = Rule(
    "compounds", .predicates, "&&, || and ! combine conditions as in Swift."
  ) { trial in
    try fill(trial)
    try expect(
      trial, "number > 2 && isMarked == false",
      #Predicate { $0.number > 2 && $0.isMarked == false }, [3, 4, 5])
    try expect(
      trial, "number < 2 || isMarked", #Predicate { $0.number < 2 || $0.isMarked },
      [1, 6, 7, 8, 9])
    try expect(trial, "!isMarked", #Predicate { !$0.isMarked }, [1, 2, 3, 4, 5])
  }

  private static let dates = Rule(
    "dates", .predicates, "Dates are compared to fractions of a second."
  ) { trial in
    try fill(trial)
    let day: Date? = Date(timeIntervalSinceReferenceDate: 8)
    try expect(trial, "day == 8", #Predicate { $0.day == day }, [8])
    let between = Date(timeIntervalSinceReferenceDate: 7.5)
    try expect(
      trial, "day > 7.5", #Predicate { ($0.day ?? Date.distantPast) > between }, [8, 9])
  }

  private static let optionals = Rule(
    "optionals", .predicates, "nil equals nil and differs from every value, as in Swift."
  ) { trial in
    try fill(trial)
    try expect(trial, "rank == nil", #Predicate { $0.rank == nil }, [2, 4, 6, 8])
    try expect(trial, "rank != nil", #Predicate { $0.rank != nil }, [1, 3, 5, 7, 9])
    try expect(trial, "rank == 3", #Predicate { $0.rank == 3 }, [3])
    try expect(trial, "rank != 3", #Predicate { $0.rank != 3 }, [1, 2, 4, 5, 6, 7, 8, 9])
    try expect(trial, "(rank ?? 0) < 4", #Predicate { ($0.rank ?? 0) < 4 }, [1, 2, 3, 4, 6, 8])
  }

  private static let captured = Rule(
    "captured lists", .predicates, "A captured list contains the value of a property or not."
  ) { trial in
    try fill(trial)
    let numbers = [2, 3, 40]
    try expect(
      trial, "[2, 3, 40].contains(number)", #Predicate { numbers.contains($0.number) }, [2, 3])
    let titles = ["Entry 1", "Entry 9"]
    try expect(trial, "titles.contains(title)", #Predicate { titles.contains($0.title) }, [1, 9])
    let none: [Int] = []
    try expect(trial, "[].contains(number)", #Predicate { none.contains($0.number) }, [])
    let wanted = Set(try trial.all(Entry.self).filter { $0.number > 6 }.map(\.persistentModelID))
    try expect(
      trial, "identifiers.contains(persistentModelID)",
      #Predicate { wanted.contains($0.persistentModelID) }, [7, 8, 9])
    try expect(
      trial, "identifiers.contains(persistentModelID) && number < 9",
      #Predicate { wanted.contains($0.persistentModelID) && $0.number < 9 }, [7, 8])
  }

  private static let texts = Rule(
    "texts", .textPredicates, "Texts are compared and searched by their characters."
  ) { trial in
    try fill(trial)
    try trial.save([Entry("100% \\_", 10), Entry("caf\u{E9}", 11)])
    try expect(trial, "title == \"Entry 3\"", #Predicate { $0.title == "Entry 3" }, [3])
    try expect(trial, "title == \"entry 3\"", #Predicate { $0.title == "entry 3" }, [])
    try expect(trial, "contains(\"ry 3\")", #Predicate { $0.title.contains("ry 3") }, [3])
    try expect(trial, "contains(\"%\")", #Predicate { $0.title.contains("%") }, [10])
    try expect(trial, "contains(\"_\")", #Predicate { $0.title.contains("_") }, [10])
    try expect(trial, "starts(with: \"100\")", #Predicate { $0.title.starts(with: "100") }, [10])
    let decomposed = "cafe\u{301}"
    try expect(trial, "a decomposed letter", #Predicate { $0.title == decomposed }, [11])
    try expect(
      trial, "an optional text", #Predicate { $0.remark?.contains("late") == true }, [7, 8, 9])
  }

  private static let textOptions = Rule(
    "text searches", .textPredicates, "localizedStandardContains ignores case and diacritics."
  ) { trial in
    try trial.save([Entry("\u{C9}clair", 1), Entry("clair", 2), Entry("dark", 3)])
    try expect(
      trial, "localizedStandardContains(\"eCLAIR\")",
      #Predicate { $0.title.localizedStandardContains("eCLAIR") }, [1])
    try expect(
      trial, "localizedStandardContains(\"clair\")",
      #Predicate { $0.title.localizedStandardContains("clair") }, [1, 2])
  }
}
