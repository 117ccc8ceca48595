import Foundation
import SwiftData

enum Grade: String, Codable, Comparable {
  case good, fair, poor

  private var rank: Int { self == .good ? 3 : self == .fair ? 2 : 1 }

  static func < (lhs: Grade, rhs: Grade) -> Bool { lhs.rank < rhs.rank }
}

enum Stage: Int, Codable, Comparable {
  case first = 10
  case second = 20
  case third = 30

  static func < (lhs: Stage, rhs: Stage) -> Bool { lhs.rawValue < rhs.rawValue }
}

enum Season: Codable, Comparable {
  case winter, spring, summer
}

@Model final class Ware {
  var name: String
  var nickname: String?
  var count: Int
  var factor: Int
  var small: Int8
  var price: Decimal
  var weight: Double
  var length: Float
  var width: Double?
  var big: UInt64
  var made: Date
  var sold: Date?
  var grade: Grade
  var stage: Stage?
  var season: Season
  var tags: [String]
  var marks: [Int]?
  var grades: [Grade]
  var codes: Set<UUID>
  var notes: [String: String]
  var rack: Rack?
  @Relationship(inverse: \Part.ware) var parts: [Part] = []

  /// More digits than a floating-point number has.
  static let longPrice = Decimal(string: "123456789012345678.25") ?? 0
  static let code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  init(_ index: Int) {
    name = ["Ham 12", "bread", "Mi\u{301}lk", "tea", ""][index % 5]
    nickname = index % 3 == 0 ? nil : "n\(index % 4)"
    count = [0, 1, -7, .max, .min, 12][index % 6]
    factor = [1, 0, -1, 2, .max][index % 5]
    small = [1, 100, -128, 127][index % 4]
    price = [0.1, 19.99, -3, Self.longPrice][index % 4]
    weight = [0, 1.5, -2.25, .infinity, -.infinity, .nan, 1e300][index % 7]
    length = [0.1, 16_777_216, -1][index % 3]
    width = index % 4 == 0 ? nil : [1, .infinity, -0.5][index % 3]
    big = [0, .max, 1 << 63][index % 3]
    made = Date(timeIntervalSinceReferenceDate: Double(index) * 3600)
    sold = index % 3 == 1 ? nil : Date(timeIntervalSinceReferenceDate: Double(index) * 5000)
    grade = [.good, .fair, .poor][index % 3]
    stage = index % 4 == 0 ? nil : [.third, .first, .second][index % 3]
    season = [.summer, .winter, .spring][index % 3]
    tags = [["red", "big"], [], ["cafe\u{301}", "a\u{0}b", "re\"d/"], ["redder"]][index % 4]
    marks = index % 5 == 0 ? nil : Array([3, -1, 9].prefix(index % 4))
    grades = [[], [.poor, .good]][index % 2]
    codes = index % 3 == 0 ? [Self.code] : []
    notes = [[:], ["size": "L", "": "x"], ["size": "S"]][index % 3]
  }
}

@Model final class Rack {
  var label: String
  var height: Int
  @Relationship(inverse: \Ware.rack) var wares: [Ware] = []

  init(label: String, height: Int) {
    self.label = label
    self.height = height
  }
}

@Model final class Part {
  var size: Int
  var divisor: Int
  var maker: Rack?
  var ware: Ware?

  init(size: Int, divisor: Int, maker: Rack?) {
    self.size = size
    self.divisor = divisor
    self.maker = maker
  }
}

extension PredicateCourt {
  /// Forty wares on three racks, with numbers at the ends of their ranges.
  static func wares() throws -> PredicateCourt {
    try PredicateCourt(types: [Ware.self, Rack.self, Part.self]) { context in
      let racks = [("top", 3), ("middle", 2), ("low", 1)].map { Rack(label: $0, height: $1) }
      for rack in racks { context.insert(rack) }
      for index in 0..<40 {
        let ware = Ware(index)
        context.insert(ware)
        ware.rack = index % 4 == 3 ? nil : racks[index % 3]
        ware.parts = (0..<index % 4).map { number in
          Part(
            size: [4, 6, .min][(index + number) % 3], divisor: [2, 0, -1][(index + number) % 3],
            maker: (index + number) % 3 == 0 ? nil : racks[number % 3])
        }
      }
      try context.save()
    }
  }
}
