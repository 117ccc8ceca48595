import SwiftData

/// One property of every kind that a store keeps.
@Model final class Everything {
  var int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var bool = false
  var double = 0.0
  var float: Float = 0
  var string = ""
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var data = Data()
  var url = URL(string: "https://example.com/a?b=c#d")!
  var decimal = Decimal(0)
  var mood = Mood.calm
  var level: Level = Level.low
  var token = Token(rawValue: "t")
  var shape: Shape = Shape.point
  var place = Place(name: "", latitude: 0)
  var wallet: Wallet?
  var strings: [String] = []
  var numbers: [Double]?
  var places: [Place] = []
  var counts: [String: Int] = [:]
  var set: Set<Int> = []
  @Attribute(.codable) var opaque: Place?
  @Attribute(.externalStorage) var picture: Data?
  @Attribute(.ephemeral) var fleeting = 1
  @Transient var forgotten = 1

  var optionalInt: Int?
  var optionalUInt64: UInt64?
  var optionalBool: Bool?
  var optionalDouble: Double?
  var optionalFloat: Float?
  var optionalString: String?
  var optionalDate: Date?
  var optionalUUID: UUID?
  var optionalData: Data?
  var optionalURL: URL?
  var optionalDecimal: Decimal?
  var optionalMood: Mood?
  var optionalShape: Shape?
  var optionalPlace: Place?

  init() {}
}

extension Everything {
  enum Mood: String, Codable, CaseIterable { case calm, wild }
  enum Level: Int, Codable { case low = 1, high = 10 }
  enum Shape: Codable, Equatable {
    case point
    case circle(radius: Double)
    case named(String)
  }
  struct Place: Codable, Equatable {
    var name: String
    var latitude: Double
    var longitude: Double?
    var tags: [String] = []
    var mood: Mood = .calm
  }
  struct Wallet: Codable, Equatable {
    var home: Place
    var coins: Int
  }
  struct Token: RawRepresentable, Codable, Hashable { var rawValue: String }
}
