import Foundation
import OpenSwiftDataStoreFormat
import Testing

/// Whatever bytes a column has, a reader gives a value or an error, and in the end it gives one.
///
/// `OPENSWIFTDATA_FUZZ` is the number of damaged copies of each; some hundreds without it.
struct DamagedBytesTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_FUZZ"].flatMap(Int.init) ?? 300

  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  /// Copies with bytes changed, removed, repeated or put in, often at the end, where the table of objects is.
  private static func damaged(_ original: Data, _ random: inout Random) -> Data {
    var bytes = [UInt8](original)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard bytes.count > 1 else { break }
      let isEnd = Int.random(in: 0..<4, using: &random) == 0
      let low = isEnd ? max(0, bytes.count - 40) : 0
      let place = Int.random(in: low..<bytes.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
      case 2: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 3: bytes[place] = bytes.randomElement(using: &random) ?? 0
      case 4: bytes.remove(at: place)
      case 5: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 6: bytes.removeLast(min(bytes.count - 1, Int.random(in: 1...40, using: &random)))
      default:
        for offset in place..<min(bytes.count, place + 8) { bytes[offset] = 0xFF }
      }
    }
    return Data(bytes)
  }

  private static func archives() throws -> [Data] {
    var writer = KeyedArchiveWriter()
    let root = writer.value(
      .dictionary([
        "list": .array([.string("a"), .string("é🎉"), .data(Data([7])), .integer(-3)]),
        "date": .date(3), "site": .url("https://example.org"), "id": .uuid(UUID()),
        "nested": .dictionary(["a": .array([.array([.bool(true)]), .real(0.5)])]),
      ]))
    return [
      try writer.data(root: root), ArrayArchive.archive(["one", "two", "drei é"]),
      ArrayArchive.archive([Data([1]), Data(repeating: 7, count: 400)]),
      ArrayArchive.archive([String]()), ArrayArchive.archive(content: Data("{}".utf8)),
    ]
  }

  @Test func archives() throws {
    var random = Random(state: 1)
    for archive in try Self.archives() {
      for _ in 0..<Self.rounds {
        let bytes = Self.damaged(archive, &random)
        if let read = try? KeyedArchive(bytes) {
          _ = read.modelValue(read.root)
          if case .object(let object) = read.root {
            for key in read.keys(of: object) { _ = read.modelValue(read[object, key]) }
          }
        }
        bytes.withUnsafeBytes { bytes in
          _ = ArrayArchive.strings(in: bytes)
          _ = ArrayArchive.data(in: bytes)
          _ = ArrayArchive.content(of: bytes)
        }
        _ = StoreMetadata(bytes)
      }
    }
  }

  @Test func models() throws {
    var random = Random(state: 2)
    let archive = try Deflate.inflate(ModelCache.encode(ModelCacheTests.model))
    for _ in 0..<Self.rounds {
      let bytes = Self.damaged(archive, &random)
      guard let model = try? ModelCache.decode(Deflate.deflate(bytes, level: 1)) else { continue }
      Self.use(model)
    }
  }

  /// Names of one object put in the place of another: parents, destinations and elements that lead in
  /// circles or nowhere.
  @Test func modelsWithOtherReferences() throws {
    var random = Random(state: 3)
    let archive = try Deflate.inflate(ModelCache.encode(ModelCacheTests.model))
    let plist = try BinaryPlist.decode(archive)
    guard case .dictionary(var top) = plist, case .array(let objects)? = top["$objects"] else {
      Issue.record("no archive")
      return
    }
    var found = 0
    for _ in 0..<Self.rounds {
      var changed = objects
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 1..<objects.count, using: &random)
        let other = PropertyList.uid(Int.random(in: 0..<objects.count, using: &random))
        switch changed[place] {
        case .dictionary(var fields):
          guard let key = fields.keys.sorted().randomElement(using: &random) else { continue }
          if case .array(let list)? = fields[key], !list.isEmpty {
            var list = list
            list[Int.random(in: 0..<list.count, using: &random)] = other
            fields[key] = .array(list)
          } else {
            fields[key] = other
          }
          changed[place] = .dictionary(fields)
        case .integer:
          changed[place] = .integer(
            [Int64.min, -1, 0, 1, 700, 2100, .max].randomElement(using: &random) ?? 0)
        default: changed[place] = objects.randomElement(using: &random) ?? .bool(true)
        }
      }
      top["$objects"] = .array(changed)
      let bytes = try BinaryPlist.encode(.dictionary(top))
      guard let model = try? ModelCache.decode(Deflate.deflate(bytes, level: 1)) else { continue }
      found += 1
      Self.use(model)
    }
    #expect(found > Self.rounds / 20)
  }

  private static func use(_ model: ModelDescription) {
    _ = VersionHashes(model).digest
    let layout = StoreLayout(model, numbers: model.freshNumbers)
    _ = layout.indexes
    for entity in model.entities {
      for property in entity.properties { _ = layout.joinSide(property.name, of: entity.name) }
      _ = layout.table(of: entity.name)
    }
    _ = try? ModelCache.encode(model)
    _ = ModelDifference.all(from: model, to: ModelCacheTests.model)
  }

  @Test func compressedBytes() throws {
    var random = Random(state: 4)
    let content = try ModelCache.encode(ModelCacheTests.model)
    for _ in 0..<Self.rounds {
      if let model = try? ModelCache.decode(Self.damaged(content, &random)) { Self.use(model) }
    }
  }

  /// A set with a reference to an object, which one damaged byte makes of an array.
  @Test func aSetOfReferencesIsNoMetadata() {
    var bytes = Array("bplist00".utf8)
    bytes += [0xD1, 1, 2, 0x51, 0x6B, 0xC1, 3, 0x80, 1]
    let table = UInt8(bytes.count)
    bytes += [8, 11, 13, 15]
    bytes += [0, 0, 0, 0, 0, 0, 1, 1]
    bytes += [4, 0, table].flatMap { [0, 0, 0, 0, 0, 0, 0, $0] }
    #expect(StoreMetadata(Data(bytes)) == nil)
  }

  /// A chain of composites each of which has the next one twice: few bytes, and no end.
  @Test func elementsWithoutEndAreRefused() throws {
    var outer = AttributeDescription(name: "outer", type: .composite)
    outer.elements = [AttributeDescription(name: "leaf", type: .integer64)]
    let model = ModelDescription(entities: [
      EntityDescription(name: "A", properties: [.attribute(outer)])
    ])
    let archive = try Deflate.inflate(ModelCache.encode(model))
    var top = try #require(BinaryPlist.decode(archive).dictionary)
    var objects = try #require(top["$objects"]?.array)
    func place(_ name: String) throws -> Int {
      try #require(
        objects.firstIndex { object in
          guard case .uid(let place)? = object.dictionary?["NSPropertyName"] else { return false }
          return objects[place] == .string(name)
        })
    }
    let composite = try #require(objects[try place("outer")].dictionary)
    guard case .uid(let list)? = composite["NSCompositeElements"] else {
      Issue.record("no elements")
      return
    }
    var next = try place("leaf")
    for _ in 0..<60 {
      var elements = try #require(objects[list].dictionary)
      elements["NS.objects"] = .array([.uid(next), .uid(next)])
      objects.append(.dictionary(elements))
      var another = composite
      another["NSCompositeElements"] = .uid(objects.count - 1)
      objects.append(.dictionary(another))
      next = objects.count - 1
    }
    objects[try place("outer")] = objects[next]
    top["$objects"] = .array(objects)
    let content = try Deflate.deflate(BinaryPlist.encode(.dictionary(top)))
    #expect(throws: FormatError.self) { try ModelCache.decode(content) }
  }
}
