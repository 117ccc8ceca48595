import Foundation
import SwiftData

/// A model with properties of all kinds.
@Model
final class Sample {
  enum Level: Int, Codable { case low = 1, high = 2 }
  enum Mood: String, Codable { case calm, wild }

  struct Place: Codable, Equatable {
    var name: String
    var latitude: Double
    var since: Date?
  }

  var text: String
  var int: Int
  var small: Int8
  var large: UInt64
  var flag: Bool
  var double: Double
  var float: Float
  var date: Date
  var uuid: UUID
  var url: URL
  var data: Data
  var decimal: Decimal
  var level: Level
  var mood: Mood?
  var place: Place
  var tags: [String]
  @Attribute(.codable) var notes: [String: Int]
  @Attribute(.transformable(by: BackwardsTransformer.self)) var motto: String?
  var optional: Int?

  init(text: String) {
    self.text = text
    (int, small, large, flag, double, float) = (0, 0, 0, false, 0, 0)
    (date, uuid, url, data, decimal) = (.distantPast, UUID(), URL(filePath: "/"), Data(), 0)
    (level, mood, place, tags, notes) = (.low, nil, Place(name: "", latitude: 0), [], [:])
  }
}

/// A model whose properties have defaults.
@Model
final class Preset {
  @Attribute(.unique) var id = UUID()
  var name = "untitled"
  var size: Double = 2
  var level: Sample.Level = Sample.Level.high
  var limit: Int? = 5
  var created: Date = Date.now
  @Transient var cached = "initial"

  init() {}
}

/// A class with a constraint, and a subclass with defaults.
@Model
class Ticket {
  #Unique<Ticket>([\.code])
  var code: String
  var price = 2.5

  init(code: String) { self.code = code }
}

@Model
final class SeasonTicket: Ticket {
  var zone = "inner"
  var rides = 30

  override init(code: String) { super.init(code: code) }
}

@Model
class Animal {
  var name: String
  var owner: Owner

  init(name: String, owner: Owner) {
    self.name = name
    self.owner = owner
  }
}

@Model
final class Dog: Animal {
  var trick: String?

  init(name: String, owner: Owner, trick: String?) {
    self.trick = trick
    super.init(name: name, owner: owner)
  }
}

@Model
final class Owner {
  @Attribute(.unique) var email: String
  @Relationship(deleteRule: .cascade, inverse: \Animal.owner) var animals: [Animal]?
  @Relationship(inverse: \Owner.friendOf) var friends: [Owner] = []
  var friendOf: [Owner] = []

  init(email: String) { self.email = email }
}

/// A model with values that are not Codable.
@Model
final class Painting {
  final class Color {
    let name: String

    init(_ name: String) { self.name = name }
  }

  @Attribute(.transformable(by: ColorTransformer.self)) var color: Color?

  init() {}
}

final class BackwardsTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8.reversed()) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
  }
}

final class ColorTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Painting.Color).map { Data($0.name.utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Painting.Color(String(decoding: $0, as: UTF8.self)) }
  }
}
