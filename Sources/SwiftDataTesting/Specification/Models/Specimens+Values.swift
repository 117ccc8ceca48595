import Foundation
import SwiftData

extension Specimens {
  @Model final class Numbers {
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var int = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var double = 0.0
    var float: Float = 0
    var flag = false
    var decimal: Decimal = 0
    var someInt8: Int8?
    var someInt16: Int16?
    var someInt32: Int32?
    var someInt64: Int64?
    var someInt: Int?
    var someUInt8: UInt8?
    var someUInt16: UInt16?
    var someUInt32: UInt32?
    var someUInt64: UInt64?
    var someDouble: Double?
    var someFloat: Float?
    var someFlag: Bool?
    var someDecimal: Decimal?

    init() {}
  }

  @Model final class Basics {
    var text = ""
    var data = Data()
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var url = URL(filePath: "/")
    var someText: String?
    var someData: Data?
    var someDate: Date?
    var someUUID: UUID?
    var someURL: URL?

    init() {}
  }

  @Model final class Coded {
    var point = Point(x: 0, label: nil)
    var colour = Colour.red
    var level = Size.small
    var shape = Shape.empty
    var numbers: [Int] = []
    var texts: [String] = []
    var points: [Point] = []
    var words: Set<String> = []
    var counts: [String: Int] = [:]
    var somePoint: Point?
    var someColour: Colour?
    var someLevel: Size?
    var someShape: Shape?
    var someNumbers: [Int]?
    var someTexts: [String]?
    var someWords: Set<String>?
    var someCounts: [String: Int]?
    @Attribute(.transformable(by: ReversingTransformer.self)) var motto: String?

    init() {}
  }

  struct Point: Codable, Equatable, Sendable {
    var x: Double
    var label: String?
  }

  enum Colour: String, Codable, Sendable { case red, green }

  enum Size: Int, Codable, Sendable { case small = -1, large = 7 }

  enum Shape: Codable, Equatable, Sendable {
    case empty
    case circle(radius: Double)
    case polygon([Point])
  }

  /// Stores a text as its bytes in reverse order.
  final class ReversingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? String).map { Data($0.utf8.reversed()) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
    }
  }
}
