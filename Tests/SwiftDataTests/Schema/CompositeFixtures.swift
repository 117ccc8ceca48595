import Foundation

struct MapPoint: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

struct PostalAddress: Codable, Equatable {
  var street: String
  var zip: Int?
  var place: MapPoint?

  enum CodingKeys: String, CodingKey {
    case street = "s"
    case zip, place
  }
}

enum Measure: String, Codable {
  case ounces = "oz"
  case millilitres = "ml"
}

enum Strength: Int, Codable {
  case low = 1
  case high = 2
}

enum Preparation: Codable, Equatable {
  case shaken, stirred
  case custom(String)
  case layered(first: String, depth: Double?)
  case served(MapPoint)
  case named(String?)
  case tagged([String])
}

struct Cocktail: Codable, Equatable {
  var measure: Measure
  var strength: Strength?
  var preparation: Preparation
  var tags: [String]
  var origins: [PostalAddress]
  var time: Duration
  var rest: Duration?
  var created: Date
  var id: UUID
  var link: URL?
  var price: Decimal
  var photo: Data
  var ratio: Float
  var isPublic: Bool
  var counts: [String: Int]

  static func sample(_ preparation: Preparation) -> Cocktail {
    Cocktail(
      measure: .millilitres, strength: nil, preparation: preparation, tags: ["a", "b"],
      origins: [PostalAddress(street: "x", zip: 1, place: MapPoint(latitude: 1, longitude: 2))],
      time: .seconds(-1.5), rest: nil, created: Date(timeIntervalSinceReferenceDate: 1.25),
      id: UUID(), link: URL(string: "https://example.org/a?b"), price: Decimal(string: "12.345")!,
      photo: Data([0, 255]), ratio: 1.1, isPublic: true, counts: ["k": 1])
  }
}

indirect enum Tree: Codable, Equatable {
  case leaf(Int)
  case node(Tree, Tree)
}

struct Pair<Value: Codable & Equatable>: Codable, Equatable {
  var first: Value
  var second: Value?
}

enum Choice<Value: Codable & Equatable>: Codable, Equatable {
  case none
  case one(Value)
  case many([Value])
}

/// Encodes itself as a single text.
struct Code: Codable, Equatable {
  var text: String

  init(text: String) {
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

final class SharedBox: Codable {}

struct BoxHolder: Codable {
  var box: SharedBox
}

struct Plain {
  var number: Int
}
