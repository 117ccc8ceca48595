import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// The defaults of arrays and Codable values in the model that a file holds, as Apple's framework has them.
@Suite struct CachedDefaultTests {
  struct Limits: Codable {
    var isOn = true
    var count = 2
    var label: String?
  }

  enum Unit: String, Codable { case ounce, gram }

  @Model final class Settings {
    var tags: [String] = ["a", "b"]
    var limits = Limits()
    var unit = Unit.gram
    var other: Limits?
    var size = 3

    init() {}
  }

  @Test func defaultsOfArraysAndCodableValuesAreInTheFile() throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(
      for: Settings.self, configurations: ModelConfiguration(url: folder.store))
    let model = try ModelCache.decode(
      SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: folder.store))
    let entity = try #require(model["Settings"])
    func expect(_ name: String, _ value: ModelValue?) {
      #expect(entity[name]?.attribute?.defaultValue == value, "\(name)")
    }
    expect("tags", .array([.string("a"), .string("b")]))
    expect("limits", .dictionary(["isOn": .bool(true), "count": .integer(2)]))
    expect("unit", .dictionary(["unit": .string("gram")]))
    expect("other", nil)
    expect("size", .integer(3))
  }
}
