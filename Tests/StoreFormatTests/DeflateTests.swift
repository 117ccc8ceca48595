import Foundation
import OpenSwiftDataStoreFormat
import Testing

struct DeflateTests {
  private let text = Data(String(repeating: "store ", count: 40).utf8)

  @Test func whatAnotherProgramCompressedIsRead() throws {
    let compressed = try #require(Data(base64Encoded: "Ky7JL0pVKB4xJAA="))
    #expect(try Deflate.inflate(compressed) == text)
  }

  @Test(arguments: [-1, 0, 1, 9])
  func whatWasCompressedIsRead(_ level: Int) throws {
    let long = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    for data in [Data(), Data([7]), text, long] {
      #expect(try Deflate.inflate(Deflate.deflate(data, level: level)) == data)
    }
    #expect(try Deflate.deflate(text).count < 30)
  }

  @Test func storedBlocksAreRead() throws {
    let stored = Data([1, 3, 0, 0xFC, 0xFF]) + Data("abc".utf8)
    #expect(try Deflate.inflate(stored) == Data("abc".utf8))
  }

  @Test func partsOfALargerBufferAreRead() throws {
    let compressed = try Deflate.deflate(text)
    let padded = Data([9, 9]) + compressed
    #expect(try Deflate.inflate(padded.dropFirst(2)) == text)
  }

  @Test func whatExpandsBeyondTheLimitIsRefused() throws {
    let bomb = try Deflate.deflate(Data(count: 1 << 20))
    #expect(try Deflate.inflate(bomb, limit: 1 << 20).count == 1 << 20)
    #expect(throws: FormatError.self) { try Deflate.inflate(bomb, limit: (1 << 20) - 1) }
  }

  @Test func whatIsDamagedIsRefused() throws {
    let compressed = try Deflate.deflate(text)
    for count in 0..<compressed.count {
      #expect(throws: FormatError.self) { try Deflate.inflate(compressed.prefix(count)) }
    }
    #expect(throws: FormatError.self) { try Deflate.inflate(Data("not compressed".utf8)) }
    for place in compressed.indices {
      var changed = compressed
      changed[place] ^= 0x55
      _ = try? Deflate.inflate(changed)
    }
  }
}
