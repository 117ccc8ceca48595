import Foundation
import SwiftData

enum AttributeRules {
  private typealias Numbers = Specimens.Numbers
  private typealias Basics = Specimens.Basics

  static let chapter = Chapter(
    name: "attributes",
    models: [Specimens.Numbers.self, Specimens.Basics.self, Specimens.Coded.self],
    rules: [
      signed, unsigned, floating, flags, decimals, texts, zeroCharacters, refusedTexts, data, dates,
      uuids, urls,
    ] + CodedAttributeRules.all)

  private static let signed = Rule(
    "integers", .attributes, "Signed integers of all widths keep their smallest and largest values."
  ) { trial in
    try trial.keeps(\Numbers.int8, \.someInt8, [.min, -1, .max])
    try trial.keeps(\Numbers.int16, \.someInt16, [.min, -1, .max])
    try trial.keeps(\Numbers.int32, \.someInt32, [.min, -1, .max])
    try trial.keeps(\Numbers.int64, \.someInt64, [.min, -1, .max])
    try trial.keeps(\Numbers.int, \.someInt, [.min, -1, .max])
  }

  private static let unsigned = Rule(
    "unsigned integers", .attributes, "Unsigned integers of all widths keep their largest values."
  ) { trial in
    try trial.keeps(\Numbers.uint8, \.someUInt8, [0, 1, .max])
    try trial.keeps(\Numbers.uint16, \.someUInt16, [0, 1, .max])
    try trial.keeps(\Numbers.uint32, \.someUInt32, [0, 1, .max])
    try trial.keeps(\Numbers.uint64, \.someUInt64, [0, 1, .max])
  }

  private static let floating = Rule(
    "floating point", .attributes,
    "Double and Float keep every bit of large, small, negative and infinite numbers."
  ) { trial in
    let doubles = [
      0.1, -1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
    try trial.keeps(\Numbers.double, \.someDouble, doubles) { $0.bitPattern == $1.bitPattern }
    // The sign of zero may be lost, but the number has to stay zero.
    try trial.keeps(\Numbers.double, \.someDouble, [-0.0, 0.0])
    let floats: [Float] = [0.1, -1.5, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
    try trial.keeps(\Numbers.float, \.someFloat, floats) { $0.bitPattern == $1.bitPattern }
  }

  private static let flags = Rule(
    "booleans", .attributes, "Booleans keep both values."
  ) { trial in
    try trial.keeps(\Numbers.flag, \.someFlag, [true, false])
  }

  private static let decimals = Rule(
    "decimals", .attributes, "Decimal keeps its fraction and its sign."
  ) { trial in
    let texts = ["0.1", "-12.345", "1234567890.12"]
    try trial.keeps(\Numbers.decimal, \.someDecimal, texts.compactMap { Decimal(string: $0) })
  }

  private static let texts = Rule(
    "texts", .attributes,
    "Texts keep each scalar: empty and long ones, emoji, composed and decomposed letters."
  ) { trial in
    let texts = [
      "", " padded\n", "👩‍👩‍👧 😀", "\u{E9}", "e\u{301}", "'; \"x\" % \\ _",
      String(repeating: "long ", count: 2000),
    ]
    try trial.keeps(\Basics.text, \.someText, texts) { $0.utf8.elementsEqual($1.utf8) }
  }

  private static let zeroCharacters = Rule(
    "zero characters", .allCharacters, "Texts keep the character U+0000."
  ) { trial in
    let texts = ["a\u{0}b", "\u{0}", "a\u{0}", "a"]
    try trial.keeps(\Basics.text, \.someText, texts) { $0.utf8.elementsEqual($1.utf8) }
  }

  private static let refusedTexts = Rule(
    "refused texts", .attributes,
    "A text that a store can't keep makes the save throw, stores nothing, and leaves the context with its "
      + "changes."
  ) { trial in
    let context = try trial.context()
    let models = ["a", "b\u{0}c", "d"].map { text in
      let model = Basics()
      model.text = text
      context.insert(model)
      return model
    }
    func stored() throws -> [String] { try trial.all(Basics.self).map(\.text).sorted() }
    do {
      try context.save()
    } catch {
      trial.expect("The texts after the error", try stored(), [])
      trial.expect("The new models after the error", context.insertedModelsArray.count, 3)
      models[1].text = "bc"
      try context.save()
    }
    trial.expect("The stored texts", try stored(), models.map(\.text))
  }

  private static let data = Rule(
    "data", .attributes, "Data keeps each byte; empty data is not nil."
  ) { trial in
    let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try trial.keeps(\Basics.data, \.someData, [Data(), Data([0, 255, 0]), large])
  }

  private static let dates = Rule(
    "dates", .attributes, "Dates keep fractions of a second, and lie in any century."
  ) { trial in
    let dates = [
      Date(timeIntervalSinceReferenceDate: 1.25), Date(timeIntervalSinceReferenceDate: 0.001953125),
      Date(timeIntervalSinceReferenceDate: -1.5), .distantPast, .distantFuture,
    ]
    try trial.keeps(\Basics.date, \.someDate, dates)
  }

  private static let uuids = Rule("UUIDs", .attributes, "UUIDs keep their bytes.") { trial in
    try trial.keeps(\Basics.uuid, \.someUUID, [UUID(), UUID()])
  }

  private static let urls = Rule(
    "URLs", .attributes, "URLs keep their text, with query and fragment."
  ) { trial in
    let texts = ["https://example.com/a%20b?q=1&r=%C3%A9#top", "mailto:a@example.com"]
    try trial.keeps(\Basics.url, \.someURL, texts.compactMap { URL(string: $0) })
  }
}
