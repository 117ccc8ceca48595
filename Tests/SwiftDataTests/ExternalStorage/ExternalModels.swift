import Foundation
import SwiftData
import Testing

/// Models with values that are kept in files.
enum External {
  @Model final class Album {
    @Attribute(.unique) var name: String
    @Attribute(.externalStorage) var cover: Data?
    @Relationship(deleteRule: .cascade, inverse: \Picture.album) var pictures: [Picture] = []

    init(_ name: String, cover: Data? = nil) {
      self.name = name
      self.cover = cover
    }
  }

  @Model final class Picture {
    var name: String
    @Attribute(.externalStorage) var data: Data?
    var album: Album?

    init(_ name: String, _ data: Data? = nil) {
      self.name = name
      self.data = data
    }
  }

  struct Stroke: Codable, Equatable {
    var points: [Int]
  }

  @Model final class Sketch {
    @Attribute(.externalStorage) var image: Data
    @Attribute(.externalStorage) var text: String
    @Attribute(.externalStorage) var lines: [String]
    @Attribute(.externalStorage, .codable) var stroke: Stroke?
    @Attribute(.externalStorage, .transformable(by: BackwardsTransformer.self)) var secret: String
    var count = 7

    init(size: Int) {
      image = External.bytes(1, size)
      text = String(repeating: "é", count: size / 2)
      lines = Array(repeating: "line", count: size / 4)
      stroke = Stroke(points: Array(0..<(size / 4)))
      secret = String(repeating: "ab", count: size / 2)
    }
  }

  static let types: [any PersistentModel.Type] = [Album.self, Picture.self, Sketch.self]

  /// The size of values that are certain to lie in files.
  static let size = 200_000

  static func bytes(_ first: UInt8, _ count: Int = size) -> Data {
    Data([first]) + Data(repeating: first, count: max(0, count - 1))
  }

  static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url))
  }
}

/// Keeps texts backwards.
final class BackwardsTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }

  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.reversed().map(String.init).joined().utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
  }
}

extension TemporaryFolder {
  /// Where the store keeps its values.
  var support: URL { url.appending(path: ".test_SUPPORT") }
  var values: URL { support.appending(path: "_EXTERNAL_DATA") }

  /// The names of the files that have values.
  var valueNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: values.path)) ?? []).sorted()
  }

  var journals: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: support.path)) ?? [])
      .filter { $0.hasPrefix("pending-") }
  }

  /// Each file is named by a row, and each name has a file.
  func expectWhole(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let check = try ExternalFilesCheck(of: store)
    #expect(check.orphans.isEmpty, sourceLocation: sourceLocation)
    #expect(check.missing.isEmpty, sourceLocation: sourceLocation)
    #expect(check.valueCount == count, sourceLocation: sourceLocation)
    #expect(valueNames.count == count, sourceLocation: sourceLocation)
  }
}
