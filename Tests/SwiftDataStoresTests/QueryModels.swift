import Foundation
import SwiftData

/// Models with properties of all kinds that a query may read.
enum Journeys {
  @Model class Booking {
    var code: String
    var traveller: Traveller?

    init(_ code: String) { self.code = code }
  }

  @Model final class Trip: Booking {
    var name = ""
    var start = Date(timeIntervalSinceReferenceDate: 0)
    var end: Date?
    var price = Decimal(0)
    var seats = 0
    var isPaid = false
    var grade = Grade.standard
    var season: Season?
    var lodging: Lodging?
    var tags: [String] = []
    var codes: [String: Int] = [:]
    var badge: Badge?
    @Attribute(.transformable(by: ReversingTransformer.self)) var secret: String?
    @Relationship(inverse: \Stop.trip) var stops: [Stop] = []

    override init(_ code: String) { super.init(code) }

    var title: String { name.capitalized }
  }

  @Model final class Traveller {
    var name: String
    var age: Int?
    var guide: Traveller?
    @Relationship(inverse: \Booking.traveller) var bookings: [Booking] = []

    init(_ name: String, age: Int? = nil) {
      self.name = name
      self.age = age
    }
  }

  @Model final class Stop {
    var city: String
    var nights: Int
    var trip: Trip?

    init(_ city: String, nights: Int) {
      self.city = city
      self.nights = nights
    }
  }

  enum Grade: String, Codable, Comparable, CaseIterable, Sendable {
    case standard, comfort, luxury

    static func < (left: Self, right: Self) -> Bool {
      allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
  }

  enum Season: Codable, Equatable, Sendable { case summer, winter, weeks([Int]) }

  struct Lodging: Codable, Equatable, Sendable {
    var street: String
    var rooms: Int?
    var spot: Spot

    enum CodingKeys: String, CodingKey {
      case street, rooms
      case spot = "at"
    }

    struct Spot: Codable, Equatable, Sendable {
      var x: Double
      var y: Double
    }
  }

  /// Compares itself without case, and encodes itself as a single value.
  struct Badge: Codable, Equatable, Sendable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }

    static func == (left: Self, right: Self) -> Bool {
      left.text.lowercased() == right.text.lowercased()
    }
  }

  static let types: [any PersistentModel.Type] = [
    Booking.self, Trip.self, Traveller.self, Stop.self,
  ]
}

/// Stores a text backwards.
final class ReversingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.reversed().map(String.init).joined().utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
  }
}
