import Foundation
import OpenSwiftDataStoreFormat
import Testing

struct KeyedArchiveTests {
  @Test func anObjectOfAnyClassIsRead() throws {
    // Written by Apple's framework for an object with one field.
    let hex = """
      62706c6973743030d4010203040506070a582476657273696f6e592461726368697665725424746f7058246f626a
      6563747312000186a05f100f4e534b657965644172636869766572d1080954726f6f748001a40b0c111255246e75
      6c6cd20d0e0f1054746578745624636c617373800280035d64656661756c7420636f766572d2131415165a24636c
      6173736e616d655824636c61737365735f1018436f726544617461506c75735f54657374732e436f766572a21718
      5f1018436f726544617461506c75735f54657374732e436f766572584e534f626a65637408111a24293237494c51
      53585e63686f71738186919ab5b8d300000000000001010000000000000019000000000000000000000000000000
      dc
      """
    let archive = try KeyedArchive(Data(hexadecimal: hex))
    guard case .object(let root) = archive.root else {
      Issue.record("no object")
      return
    }
    #expect(archive.className(of: root) == "CoreDataPlus_Tests.Cover")
    #expect(archive.keys(of: root) == ["text"])
    #expect(archive[root, "text"] == .plain(.string("default cover")))
    #expect(archive[root, "other"] == .null)
    #expect(
      archive.modelValue(archive.root) == .object(className: "CoreDataPlus_Tests.Cover"))
  }

  @Test func valuesOfFoundationRoundTrip() throws {
    let value = ModelValue.dictionary([
      "flag": .bool(true), "number": .integer(-3), "real": .real(0.25), "text": .string("é"),
      "data": .data(Data([1, 2])), "date": .date(12.5), "id": .uuid(UUID()),
      "site": .url("https://example.org/a?b=c"), "list": .array([.integer(1), .array([])]),
      "nested": .dictionary(["a": .string("é")]),
    ])
    var writer = KeyedArchiveWriter()
    let root = writer.value(value)
    let archive = try KeyedArchive(writer.data(root: root))
    #expect(archive.modelValue(archive.root) == value)
  }

  @Test func foundationReadsWhatWasWritten() throws {
    var writer = KeyedArchiveWriter()
    let root = writer.value(
      .dictionary([
        "list": .array([.string("a"), .string("a"), .data(Data([7]))]), "date": .date(3),
        "site": .url("https://example.org"),
      ]))
    let classes = [
      NSDictionary.self, NSArray.self, NSString.self, NSData.self, NSDate.self, NSURL.self,
    ]
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: classes, from: writer.data(root: root))
    let found = try #require(read as? [String: Any])
    #expect((found["list"] as? [Any])?.first as? String == "a")
    #expect((found["list"] as? [Any])?.last as? Data == Data([7]))
    #expect(found["date"] as? Date == Date(timeIntervalSinceReferenceDate: 3))
    #expect((found["site"] as? URL)?.host() == "example.org")
  }

  @Test func whatFoundationWroteIsRead() throws {
    let id = UUID()
    let bytes = try NSKeyedArchiver.archivedData(
      withRootObject: [
        "list": ["a", 3, 2.5, Data([1])] as [Any], "id": id,
        "site": URL(string: "https://example.org") as Any,
      ] as [String: Any], requiringSecureCoding: false)
    let archive = try KeyedArchive(bytes)
    #expect(
      archive.modelValue(archive.root)
        == .dictionary([
          "list": .array([.string("a"), .integer(3), .real(2.5), .data(Data([1]))]),
          "id": .uuid(id), "site": .url("https://example.org"),
        ]))
  }

  @Test func setsAreRead() throws {
    for value in [NSSet(array: ["a"]), NSOrderedSet(array: ["a", "b"])] as [NSObject] {
      let archive = try KeyedArchive(
        NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false))
      let elements = try #require(archive.elements(of: archive.root))
      #expect(elements.first == .plain(.string("a")))
      #expect(elements.count == (value is NSSet ? 1 : 2))
    }
  }

  @Test func sharedObjectsAndCirclesStay() throws {
    var writer = KeyedArchiveWriter()
    let (parent, child) = (writer.reserve(), writer.reserve())
    writer.describe(parent, as: ["Parent"], ["child": child.field, "again": child.field])
    writer.describe(child, as: ["Child", "Parent"], ["parent": parent.field])
    let archive = try KeyedArchive(writer.data(root: parent))
    guard case .object(let root) = archive.root, case .object(let read) = archive[root, "child"]
    else {
      Issue.record("no object")
      return
    }
    #expect(archive[root, "again"] == .object(read))
    #expect(archive[read, "parent"] == archive.root)
    #expect(archive.className(of: read) == "Child")
    // A list that contains itself is no value.
    var circle = KeyedArchiveWriter()
    let list = circle.reserve()
    circle.describe(list, as: ["NSArray"], ["NS.objects": .array([list.field, list.field])])
    let endless = try KeyedArchive(circle.data(root: list))
    #expect(endless.modelValue(endless.root) == nil)
  }

  @Test func anythingElseIsRefused() throws {
    for plist: PropertyList in [
      .string("text"), .dictionary([:]),
      .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": .uid(9)]),
        "$objects": .array([.string("$null")]),
      ]),
    ] {
      #expect(throws: FormatError.self) { try KeyedArchive(BinaryPlist.encode(plist)) }
    }
  }

  @Test func damagedArchivesAreReadOrRefused() throws {
    var writer = KeyedArchiveWriter()
    let root = writer.value(
      .array([.uuid(UUID()), .date(1), .dictionary(["a": .url("b:")])]))
    let bytes = try writer.data(root: root)
    for place in bytes.indices {
      for value in [0, 1, 2, 0x0F, 0x7F, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] = value
        guard let archive = try? KeyedArchive(changed) else { continue }
        _ = archive.modelValue(archive.root)
      }
    }
  }
}

extension Data {
  init(hexadecimal text: String) {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    self.init(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
}
