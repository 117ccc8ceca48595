import Foundation
import OpenSwiftDataStoreFormat
import Testing

struct ArrayArchiveTests {
  /// The archive of an empty list as Apple's framework wrote it.
  private static let empty = """
    62706c6973743030d4010203040506070a582476657273696f6e592461726368697665725424746f7058246f626a6563
    747312000186a05f100f4e534b657965644172636869766572d1080954726f6f748001a20b0c55246e756c6c425b5d08
    111a24293237494c5153565c0000000000000101000000000000000d0000000000000000000000000000005f
    """

  @Test func anEmptyListIsWrittenAsAppleWritesIt() throws {
    let expected = Data(hexadecimal: Self.empty)
    #expect(ArrayArchive.archive([String]()) == expected)
    #expect(ArrayArchive.archive([Data]()) == expected)
    #expect(expected.withUnsafeBytes { ArrayArchive.strings(in: $0) } == nil)
    #expect(expected.withUnsafeBytes { content($0) } == Data("[]".utf8))
  }

  @Test(arguments: [
    ["a"], ["", "b", "b"], ["Zoë", "🍀", "e\u{301}", "\u{E9}"],
    (0..<300).map { "number \($0)" }, (0..<40_000).map { "\($0)" },
    [String(repeating: "long ", count: 20_000)],
  ])
  func textsAreReadAsTheyWereWritten(_ texts: [String]) throws {
    let bytes = ArrayArchive.archive(texts)
    let read = try #require(bytes.withUnsafeBytes { ArrayArchive.strings(in: $0) })
    #expect(read.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    #expect(bytes.withUnsafeBytes { ArrayArchive.data(in: $0) } == nil)
    let archive = try KeyedArchive(bytes)
    #expect(archive.modelValue(archive.root) == .array(texts.map { .string($0) }))
    let object = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, NSString.self], from: bytes)
    #expect((object as? [Any])?.count == texts.count)
    #expect((object as? [Any])?.first as? String == texts.first)
  }

  @Test func dataAreReadAsTheyWereWritten() throws {
    let list = [Data(), Data([1, 2]), Data(count: 70_000)]
    let bytes = ArrayArchive.archive(list)
    #expect(bytes.withUnsafeBytes { ArrayArchive.data(in: $0) } == list)
    #expect(bytes.withUnsafeBytes { ArrayArchive.strings(in: $0) } == nil)
  }

  @Test func theArchiveIsThatOfAnArray() throws {
    let plist = try BinaryPlist.decode(ArrayArchive.archive(["a", "b"]))
    #expect(
      plist
        == .dictionary([
          "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
          "$top": .dictionary(["root": .uid(1)]),
          "$objects": .array([
            .string("$null"),
            .dictionary(["NS.objects": .array([.uid(2), .uid(3)]), "$class": .uid(4)]),
            .string("a"), .string("b"),
            .dictionary([
              "$classname": .string("NSArray"),
              "$classes": .array([.string("NSArray"), .string("NSObject")]),
            ]),
          ]),
        ]))
  }

  @Test func archivesOfOthersAreRead() throws {
    for value in [["a", "é"] as NSArray, NSMutableArray(array: ["a", "é"])] {
      let bytes = try NSKeyedArchiver.archivedData(
        withRootObject: value, requiringSecureCoding: false)
      #expect(bytes.withUnsafeBytes { ArrayArchive.strings(in: $0) } == ["a", "é"])
    }
    let dictionary = try NSKeyedArchiver.archivedData(
      withRootObject: ["k": "v"] as NSDictionary, requiringSecureCoding: false)
    #expect(dictionary.withUnsafeBytes { ArrayArchive.strings(in: $0) } == nil)
  }

  @Test func contentIsReadAsItWasWritten() throws {
    for count in [0, 3, 14, 15, 300, 70_000] {
      let data = Data(repeating: 5, count: count)
      let bytes = ArrayArchive.archive(content: data)
      #expect(bytes.withUnsafeBytes { content($0) } == data)
      let archive = try KeyedArchive(bytes)
      #expect(archive.root == .plain(.data(data)))
    }
  }

  @Test func damagedArchivesAreReadOrRefused() throws {
    let bytes = ArrayArchive.archive((0..<30).map { "text \($0)" })
    for count in 0..<bytes.count {
      #expect(bytes.prefix(count).withUnsafeBytes { ArrayArchive.strings(in: $0) } == nil)
    }
    for place in bytes.indices {
      for value in [0, 1, 0x0F, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] = value
        changed.withUnsafeBytes { bytes in
          _ = ArrayArchive.strings(in: bytes)
          _ = ArrayArchive.data(in: bytes)
          _ = ArrayArchive.content(of: bytes)
        }
      }
    }
  }

  private func content(_ bytes: UnsafeRawBufferPointer) -> Data? {
    ArrayArchive.content(of: bytes).map { Data($0) }
  }
}
