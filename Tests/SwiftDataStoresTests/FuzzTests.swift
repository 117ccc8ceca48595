import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// Documents with random changes are read or refused; no text stops the program.
@Suite struct FuzzTests {
  private static let pieces: [[UInt8]] =
    [
      "\"", "{", "}", "[", "]", ",", ":", "null", "true", "-", "0", "1e999999999999999999",
      "1e-400", "9",
      "\\u", "\\", "\n", "Z", "T", "-9999999999999999999999", "\"NaN\"", "\"Infinity\"", "/", "é",
      "\"9999-12-31T23:59:59.999999999999999999999999Z\"",
      "\"1e300 seconds since 2001-01-01T00:00:00Z\"",
      "{}", "[{}]", "{\"a\": {}}",
      "\"0000-01-01T00:00:00+23:59\"", "\"1e99999999999\"", "\"\"",
    ].map { Array($0.utf8) } + [[0xFF], [0], [0xC3]]

  private func changed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3) {
      let index = Int.random(in: 0..<bytes.count)
      let end = min(bytes.count, index + Int.random(in: 0..<12))
      switch Int.random(in: 0..<4) {
      case 0: bytes.removeSubrange(index..<end)
      case 1: bytes.insert(contentsOf: FuzzTests.pieces.randomElement() ?? [], at: index)
      case 2: bytes.replaceSubrange(index..<end, with: FuzzTests.pieces.randomElement() ?? [])
      default: bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...bytes.count))
      }
    }
    return bytes
  }

  /// A text whose values are replaced by other ones, so that it stays JSON.
  private func withOtherValues(_ text: String) -> [UInt8] {
    var lines = text.components(separatedBy: "\n")
    let index = Int.random(in: 0..<lines.count)
    guard let colon = lines[index].firstRange(of: ": ") else { return Array(text.utf8) }
    let piece = FuzzTests.pieces.randomElement() ?? []
    let comma = lines[index].hasSuffix(",") ? "," : ""
    lines[index].replaceSubrange(
      colon.upperBound..., with: String(decoding: piece, as: UTF8.self) + comma)
    return Array(lines.joined(separator: "\n").utf8)
  }

  @Test func randomChangesOfADocument() throws {
    let folder = try Folder()
    let schema = Schema([RoundTripTests.Everything.self])
    let context = try folder.context(schema)
    for model in RoundTripTests.values().prefix(2) { context.insert(model) }
    try context.save()
    let text = try folder.read()
    let configuration = JSONStoreConfiguration(schema: schema, url: folder.file)
    var refused = 0
    for number in 0..<1500 {
      let bytes = number.isMultiple(of: 2) ? changed(Array(text.utf8)) : withOtherValues(text)
      try Data(bytes).write(to: folder.file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: folder.file.path)
      do {
        _ = try JSONStore(configuration, migrationPlan: nil)
      } catch is DocumentStoreError {
        refused += 1
      }
      #expect(try Data(contentsOf: folder.file) == Data(bytes))
    }
    #expect(refused > 500 && refused < 1500)
  }
}
