import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Model
final class Film {
  var title: String
  var content: Data?

  init(_ title: String, _ content: Data?) {
    self.title = title
    self.content = content
  }
}

/// A model with more properties than most tables have columns.
@Model
final class Wide {
  var number: Int
  var a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8, a9 = 9
  var b0: String?, b1: String?, b2: String?, b3: String?, b4: String?, b5: String?, b6: String?
  var b7: String?, b8: String?, b9: String?, c0: Double?, c1: Double?, c2: Double?, c3: Double?
  var c4: Double?, c5: Double?, c6: Double?, c7: Double?, c8: Double?, c9: Double?, d0: Date?
  var d1: Date?, d2: Date?, d3: Date?, d4: Date?, d5: Date?, d6: Date?, d7: Date?, d8: Date?
  var d9: Date?, e0: Data?, e1: Data?, e2: Data?, e3: Data?, e4: Data?, e5: Data?, e6: Data?

  init(_ number: Int) { self.number = number }
}

@Suite(.serialized, .enabled(if: PostgresServer.isAvailable))
struct LargeValueTests {
  private func bytes(_ count: Int, _ seed: UInt8) -> Data {
    var data = Data(count: count)
    data.withUnsafeMutableBytes { bytes in
      for index in stride(from: 0, to: count, by: 4093) {
        bytes[index] = UInt8(truncatingIfNeeded: index / 4093) ^ seed
      }
    }
    return data
  }

  @Test func hundredMegabytesAreStoredAndReadWithFewCopies() throws {
    let size = 100 << 20
    let url = try PostgresServer.shared.addressOfNewSchema()
    let container = try ModelContainer(
      for: Film.self, configurations: PostgresConfiguration(url: url))
    let content = bytes(size, 7)
    let film = Film("long", content)
    do {
      let context = ModelContext(container)
      context.insert(film)
      context.insert(Film("short", bytes(3, 1)))
      let peak = try peakGrowth { try context.save() }
      print("100 MB stored with \(peak >> 20) MB more memory at the peak")
      // libpq copies parameters; in parts it has no more than a part.
      #expect(peak < size)
    }
    do {
      let context = ModelContext(container)
      let peak = try peakGrowth {
        let found = try context.fetch(
          FetchDescriptor<Film>(predicate: #Predicate { $0.title == "long" }))
        #expect(found.first?.content == content)
      }
      print("100 MB read with \(peak >> 20) MB more memory at the peak")
      // The message and the result in libpq, the row and the value.
      #expect(peak < 5 * size)
    }
    // The connections with large buffers are gone, and changes of the value arrive.
    let context = ModelContext(container)
    let found = try #require(
      try context.fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.title)])).first)
    let changed = bytes(20 << 20, 99)
    found.content = changed
    try context.save()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.title)]))
        .first?.content == changed)
  }

  /// The growth of the memory of the process at its peak. The tests beside this one need some too.
  private func peakGrowth(_ body: () throws -> Void) throws -> Int {
    #if os(Linux)
      func kilobytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first
          .flatMap { Int($0) } ?? 0
      }
      // Resets the peak.
      try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
      let before = try kilobytes("VmRSS")
      try body()
      return try (kilobytes("VmHWM") - before) << 10
    #else
      try body()
      return 0
    #endif
  }

  @Test func wideRowsAreWrittenInGreatNumbers() throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    let container = try ModelContainer(
      for: Wide.self, configurations: PostgresConfiguration(url: url))
    let context = ModelContext(container)
    // More values than a statement may have parameters: 65,535.
    let all = (0..<1500).map { Wide($0) }
    for wide in all {
      context.insert(wide)
      wide.b9 = "text \(wide.number)"
      wide.e6 = wide.number % 2 == 0 ? nil : Data([UInt8(wide.number & 255)])
    }
    try context.save()
    for wide in all { wide.a9 = -wide.number }
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Wide>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.b9) == (0..<1500).map { "text \($0)" })
    #expect(found.map(\.a9) == (0..<1500).map { -$0 })
    #expect(found.map(\.e6) == (0..<1500).map { $0 % 2 == 0 ? nil : Data([UInt8($0 & 255)]) })
    let numbers = Array(0..<70_000)
    #expect(
      try ModelContext(container).fetchCount(
        FetchDescriptor<Wide>(predicate: #Predicate { numbers.contains($0.number) })) == 1500)
  }
}
