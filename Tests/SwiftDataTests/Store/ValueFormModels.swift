import Foundation
import SwiftData

/// A class with a value of each form that the file format has.
@Model
final class FormParcel {
  var name: String
  var tags: [String] = []
  var notes: [String]?
  var photos: [Data] = []
  var sizes: [Int] = []
  var dates: [Date] = []
  var ids: [UUID] = []
  var links: [URL] = []
  var stops: [Stop] = []
  var labels: Set<String> = []
  var counts: [String: Int] = [:]
  @Attribute(.codable) var whole: Stop = Stop()
  var route: Route = Route()
  var spare: Route?
  var link: URL = URL(filePath: "/")
  var price: Decimal = 0
  var time: Duration = Duration.zero
  var rest: Duration?
  var locale: Locale = Locale(identifier: "en_GB")
  var bytes: Data = Data()
  var seal: Seal = Seal(data: Data())
  var code: ParcelCode?

  init(name: String) {
    self.name = name
  }

  struct Stop: Codable, Equatable {
    var city = ""
    var lists: [[String]] = []
  }

  struct Route: Codable, Equatable {
    var start = Stop()
    var via: Leg?
    var marks: [String] = []
    var stamp: Seal?
  }

  struct Leg: Codable, Equatable {
    var hours = 0
    var stop: Stop?
  }

  /// Encodes itself as data, which have a form of their own.
  struct Seal: Codable, Equatable {
    var data: Data

    init(data: Data) {
      self.data = data
    }

    init(from decoder: any Decoder) throws {
      data = try decoder.singleValueContainer().decode(Data.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(data)
    }
  }

  /// Encodes itself as a text, and takes texts of any case for equal.
  struct ParcelCode: Codable, Equatable {
    var code: String

    init(code: String) {
      self.code = code
    }

    init(from decoder: any Decoder) throws {
      code = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(code)
    }

    static func == (first: ParcelCode, second: ParcelCode) -> Bool {
      first.code.lowercased() == second.code.lowercased()
    }
  }
}

/// Enums with a case of which the format stores nothing where its values are absent.
@Model
final class ReminderPlan {
  var name: String
  var rule: Rule
  var other: Rule?
  var inner: Inner = Inner()

  init(name: String, rule: Rule) {
    self.name = name
    self.rule = rule
  }

  enum Rule: Codable, Equatable {
    case daily(hour: Int?, minute: Int?)
    case weekly(day: Int, hour: Int?)
    case never
  }

  struct Inner: Codable, Equatable {
    var rule = Rule.never
    var other: Rule?
  }
}

@Model
final class AmbiguousReminder {
  var rule: Rule

  init(rule: Rule) {
    self.rule = rule
  }

  enum Rule: Codable, Equatable {
    case daily(hour: Int?)
    case monthly(Rest)
    case never
  }

  struct Rest: Codable, Equatable {
    var day: Int?
  }
}
