import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

private final class ReversingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8.reversed()) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
  }
}

@Suite struct ValueTransformerTests {
  @Test func transformersAreFoundByName() throws {
    let name = NSValueTransformerName("ReversingTransformerByName")
    #expect(ValueTransformer(forName: name) == nil)
    ValueTransformer.setValueTransformer(ReversingTransformer(), forName: name)
    let found = try #require(ValueTransformer(forName: name))
    #expect(found.transformedValue("abc") as? Data == Data("cba".utf8))
    #expect(found.reverseTransformedValue(Data("cba".utf8)) as? String == "abc")
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
  }

  @Test func anOptionRegistersTheTypeItNames() throws {
    let option = Schema.Attribute.Option.transformable(by: ReversingTransformer.self)
    let attribute = Schema.Attribute(name: "a", options: [option], valueType: String.self)
    let name = try #require(attribute.transformerName)
    let transformer = try #require(ValueTransformer.named(name))
    let data = try transformer.storedData(of: "xyz")
    #expect(data == Data("zyx".utf8))
    #expect(try transformer.value(String.self, fromStored: data) == "xyz")
  }

  @Test func aTransformerThatMakesNoDataIsNamed() {
    let error = #expect(throws: SwiftDataError.self) {
      try ReversingTransformer().storedData(of: 1)
    }
    #expect(error == .modelValidationFailure)
    #expect(error?.description.contains("ReversingTransformer did not return Data") == true)
  }

  @Test func archivesAreReadAndWritten() throws {
    let name = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
    let transformer = try #require(ValueTransformer.named(name))
    let data = try transformer.storedData(of: NSArray(array: ["a", "b"]))
    #expect(data.starts(with: Data("bplist00".utf8)))
    let restored = try transformer.value(NSArray.self, fromStored: data)
    #expect(restored.compactMap { $0 as? String } == ["a", "b"])
  }

  @Test func archivesOfFoundationsClassesAreRead() throws {
    let name = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
    let transformer = try #require(ValueTransformer.named(name))
    func read<T>(_ value: ModelValue, as type: T.Type) throws -> T {
      var writer = KeyedArchiveWriter()
      let root = writer.value(value)
      return try transformer.value(type, fromStored: writer.data(root: root))
    }
    let counts = try read(.dictionary(["a": .integer(2)]), as: [String: Int].self)
    #expect(counts == ["a": 2])
    let texts = try read(.array([.string("x"), .string("é")]), as: [String].self)
    #expect(texts == ["x", "é"])
    let mixed = try read(
      .array([.date(3), .url("https://example.org"), .bool(true), .data(Data([1]))]),
      as: NSArray.self)
    #expect(mixed[0] as? Date == Date(timeIntervalSinceReferenceDate: 3))
    #expect((mixed[1] as? URL)?.host() == "example.org")
    #expect(mixed[2] as? Bool == true && mixed[3] as? Data == Data([1]))
    let set = try NSKeyedArchiver.archivedData(
      withRootObject: NSSet(array: ["a"]), requiringSecureCoding: true)
    #expect(try transformer.value(NSSet.self, fromStored: set).count == 1)
  }

  @Test func damagedArchivesAreRefused() throws {
    let name = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
    let transformer = try #require(ValueTransformer.named(name))
    let data = try transformer.storedData(of: NSArray(array: ["a", "b"]))
    for count in stride(from: 0, to: data.count, by: 3) {
      #expect(throws: SwiftDataError.self) {
        try transformer.value(NSArray.self, fromStored: data.prefix(count))
      }
    }
  }
}
