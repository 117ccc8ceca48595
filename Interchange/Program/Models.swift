import Foundation
import SwiftData

enum Mood: String, Codable, CaseIterable {
  case calm, wild
}

enum Weather: Codable, Equatable {
  case sunny
  case rain(Double)
}

struct Place: Codable, Equatable {
  var name: String
  var latitude: Double
}

@Model final class Trip {
  @Attribute(.unique) var name: String
  var days: Int
  var price: Double
  var cost: Decimal
  var start: Date
  var isOpen: Bool
  var code: UUID
  var site: URL?
  var picture: Data?
  @Attribute(.externalStorage) var film: Data?
  var mood: Mood
  var weather: Weather
  var place: Place
  var tags: [String]
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(inverse: \Guide.trips) var guides: [Guide] = []

  init(name: String, days: Int) {
    self.name = name
    self.days = days
    price = 12.5
    cost = 3.25
    start = Date(timeIntervalSinceReferenceDate: 700_000_000)
    isOpen = true
    code = UUID(uuidString: "0F0E0D0C-0B0A-0908-0706-050403020100") ?? UUID()
    mood = .wild
    weather = .rain(0.5)
    place = Place(name: "Rome", latitude: 41.9)
    tags = []
  }
}

@Model final class Stop {
  var place: String
  var trip: Trip?

  init(place: String) { self.place = place }
}

@Model final class Guide {
  var name: String
  var trips: [Trip] = []

  init(name: String) { self.name = name }
}
