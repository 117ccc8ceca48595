import Foundation
import OpenSwiftDataStoreFormat
import Testing

struct BinaryPlistTests {
  private static let value = PropertyList.dictionary([
    "a": .integer(1), "neg": .integer(-5), "big": .unsigned(1 << 63 + 5), "long": .integer(70_000),
    "r": .real(1.5), "t": .bool(true), "f": .bool(false), "s": .string("text"),
    "u": .string("Zoë 🍀"), "d": .data(Data((0..<40).map { $0 % 2 })), "when": .date(86_400),
    "l": .array([.integer(1), .integer(1), .string("text"), .array([]), .dictionary([:])]),
    "id": .uid(300),
  ])

  /// Made by Python's plistlib of the same value.
  private static let foreign = """
    YnBsaXN0MDDdAQIDBAUGBwgJCgsMDQ4PEBESExcYGRQaGxxRYVNiaWdRZFFmUmlkUWxUbG9uZ1NuZWdRclFzUXRR
    dVR3aGVuEAEUAAAAAAAAAACAAAAAAAAABU8QKAABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQAB
    AAEIgQEspQ4OFBUWVHRleHSg0BIAARFwE//////////7Iz/4AAAAAAAACWYAWgBvAOsAINg830AzQPUYAAAAAAAI
    IyUpKy0wMjc7PT9BQ0hKW4aHipCVlpecpa6vvAAAAAAAAAEBAAAAAAAAAB0AAAAAAAAAAAAAAAAAAADF
    """

  @Test func whatAnotherProgramWroteIsRead() throws {
    let bytes = try #require(Data(base64Encoded: Self.foreign, options: .ignoreUnknownCharacters))
    #expect(try BinaryPlist.decode(bytes) == Self.value)
  }

  @Test func whatWasWrittenIsRead() throws {
    #expect(try BinaryPlist.decode(BinaryPlist.encode(Self.value)) == Self.value)
    let long = PropertyList.array((0..<70_000).map { .string("\($0)") })
    #expect(try BinaryPlist.decode(BinaryPlist.encode(long)) == long)
    for number: Int64 in [0, 255, 256, 65_535, 65_536, 1 << 32, .max, .min, -1] {
      let value = PropertyList.integer(number)
      #expect(try BinaryPlist.decode(BinaryPlist.encode(value)) == value)
    }
  }

  @Test func foundationReadsWhatWasWritten() throws {
    guard case .dictionary(var entries) = Self.value else { return }
    entries["id"] = nil
    let bytes = try BinaryPlist.encode(.dictionary(entries))
    let read = try PropertyListSerialization.propertyList(from: bytes, format: nil)
    let found = try #require(read as? [String: Any])
    #expect(found["u"] as? String == "Zoë 🍀")
    #expect(found["neg"] as? Int == -5)
    #expect(found["when"] as? Date == Date(timeIntervalSinceReferenceDate: 86_400))
    #expect(found["d"] as? Data == Data((0..<40).map { $0 % 2 }))
    #expect((found["l"] as? [Any])?.count == 5)
  }

  @Test func whatFoundationWroteIsRead() throws {
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: ["list": ["a", "é", 3, 2.5, Data([1])] as [Any]], format: .binary,
      options: 0)
    #expect(
      try BinaryPlist.decode(bytes)
        == .dictionary([
          "list": .array([
            .string("a"), .string("é"), .integer(3), .real(2.5), .data(Data([1])),
          ])
        ]))
  }

  @Test func spellingsOfATextStayApart() throws {
    let value = PropertyList.array([.string("\u{E9}"), .string("e\u{301}")])
    guard case .array(let texts) = try BinaryPlist.decode(BinaryPlist.encode(value)) else {
      Issue.record("no array")
      return
    }
    #expect(texts.map { $0.string.map { Array($0.unicodeScalars).count } } == [1, 2])
  }

  /// Equal values are written once.
  @Test func valuesOfDifferentKindsStayApart() throws {
    let value = PropertyList.array([
      .integer(1), .uid(1), .string("1"), .string("i1"), .integer(1), .unsigned(1 << 63),
      .string("u9223372036854775808"), .bool(true), .string("t"), .bool(false), .string("f"),
    ])
    #expect(try BinaryPlist.decode(BinaryPlist.encode(value)) == value)
  }

  @Test func valuesWithoutEndAreRefused() throws {
    // An array that contains itself, and 64 arrays of the next one twice.
    let circle = Data("bplist00".utf8) + [0xA1, 0, 8] + Self.trailer(count: 1, table: 10)
    #expect(throws: FormatError.self) { try BinaryPlist.decode(circle) }
    var (bytes, offsets) = (Data("bplist00".utf8), Data())
    for index in 0..<64 {
      offsets.append(UInt8(bytes.count))
      bytes += index == 63 ? [0x50] : [0xA2, UInt8(index + 1), UInt8(index + 1)]
    }
    let table = bytes.count
    bytes += offsets + Self.trailer(count: 64, table: UInt8(table))
    #expect(throws: FormatError.self) { try BinaryPlist.decode(bytes) }
    var nested = PropertyList.array([])
    for _ in 0..<1_000 { nested = .array([nested]) }
    #expect(throws: FormatError.self) { try BinaryPlist.encode(nested) }
  }

  @Test func damagedBytesAreReadOrRefused() throws {
    let bytes = try BinaryPlist.encode(Self.value)
    for count in 0..<bytes.count {
      #expect(throws: FormatError.self) { try BinaryPlist.decode(bytes.prefix(count)) }
    }
    var random = SystemRandomNumberGenerator()
    for place in bytes.indices {
      for flipped in [0xFF, 0x80, 0x01, 0x0F, 0xF0] as [UInt8] {
        var changed = bytes
        changed[place] ^= flipped
        _ = try? BinaryPlist.decode(changed)
      }
    }
    for _ in 0..<3_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        changed[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(in: 0...255)
      }
      _ = try? BinaryPlist.decode(changed)
    }
  }

  private static func trailer(count: UInt8, table: UInt8) -> Data {
    Data([0, 0, 0, 0, 0, 0, 1, 1])
      + [0, 0, 0, 0, 0, 0, 0, count] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
  }
}
