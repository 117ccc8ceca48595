import Foundation
import SwiftData

/// Required properties of all kinds, and what can go wrong with their rows.
enum Unreadable {
  enum Mood: String, Codable, CaseIterable { case calm, wild }
  enum Level: Int, Codable { case low = 1, high = 10 }
  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case box(width: Double, mood: Mood)
  }
  struct Place: Codable, Equatable {
    var name: String
    var latitude: Double
    var mood: Mood
    var tags: [String]
  }
  struct Even: RawRepresentable, Codable, Equatable {
    let rawValue: Int
    init?(rawValue: Int) {
      guard rawValue % 2 == 0 else { return nil }
      self.rawValue = rawValue
    }
  }
  /// Has no empty value, and codes itself in a way of its own.
  struct Label: Codable, Equatable {
    let text: String
    init?(_ text: String) {
      if text.isEmpty { return nil }
      self.text = text
    }
    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let label = Label(text) else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "empty"))
      }
      self = label
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  indirect enum Formula: Codable, Equatable {
    case sum(Formula, Formula)
    case choice(Formula, Formula, Formula)
    case number(Int)
  }
  /// All values are nested, and some part has no empty value.
  indirect enum Outline: Codable {
    case section(Label, [Outline])
  }

  @Model final class Sum {
    var formula: Formula
    var outline: Outline

    init() {
      formula = .sum(.number(1), .number(2))
      outline = .section(Label("l")!, [])
    }
  }

  @Model final class Record {
    var name: String
    var count: Int
    var small: Int8
    var flag: Bool
    var ratio: Double
    var date: Date
    var data: Data
    var uuid: UUID
    var url: URL
    var decimal: Decimal
    var mood: Mood
    var level: Level
    var even: Even
    var shape: Shape
    var place: Place
    var label: Label
    var locale: Locale
    var zone: TimeZone
    var calendar: Calendar
    var tags: [String]
    var size = 7
    var kind: Mood = Mood.wild
    var maybe: Mood?
    var maybeUUID: UUID?
    var maybePlace: Place?
    @Transient var scratch = 5

    var doubled: Int { count * 2 }
    var alias: String {
      get { name }
      set { name = newValue }
    }

    init(_ name: String) {
      self.name = name
      count = 3
      small = 4
      flag = true
      ratio = 0.5
      date = Date(timeIntervalSinceReferenceDate: 9)
      data = Data([1, 2])
      uuid = UUID()
      url = URL(string: "https://example.com")!
      decimal = 12
      mood = .wild
      level = .high
      even = Even(rawValue: 8)!
      shape = .box(width: 2, mood: .wild)
      place = Place(name: "Rome", latitude: 41.9, mood: .wild, tags: ["a"])
      label = Label("l")!
      locale = Locale(identifier: "de_DE")
      zone = TimeZone(secondsFromGMT: 3600)!
      calendar = Calendar(identifier: .iso8601)
      tags = ["x"]
      maybe = .wild
      maybeUUID = uuid
      maybePlace = place
    }

    static let required = [
      "name", "count", "small", "flag", "date", "data", "uuid", "url", "decimal", "mood", "level",
      "even", "shape", "place", "label", "locale", "zone", "calendar", "tags", "size", "kind",
    ]

    /// Reads every property.
    func readAll() -> [Any] {
      [
        name, count, small, flag, ratio, date, data, uuid, url, decimal, mood, level, even, shape,
        place, label, locale, zone, calendar, tags, size, kind, maybe as Any, maybeUUID as Any,
        maybePlace as Any,
      ]
    }
  }
}
