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

struct Ten: Codable, Hashable {
  var a = 0
  var b = 1
  var c: String?
  var d: String?
  var e = 0.5
  var f: Double?
  var g: Date?
  var h: Data?
  var i = true
  var j = "ten"
}

/// Each composite has ten columns.
@Model
final class Wide {
  var number: Int
  var a = Ten()
  var b = Ten()
  var c = Ten()
  var d = Ten()
  var e = Ten()
  var f = Ten()

  init(_ number: Int) { self.number = number }
}

@Suite(.serialized, .enabled(if: PostgresServer.isAvailable))
struct LargeValueTests {
  private func bytes(_ count: Int, _ seed: UInt8) -> Data {
    var data = Data(count: count)
    data.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
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
      wide.b.c = "text \(wide.number)"
      wide.e.h = wide.number % 2 == 0 ? nil : Data([UInt8(wide.number & 255)])
    }
    try context.save()
    for wide in all { wide.f.b = -wide.number }
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Wide>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.b.c) == (0..<1500).map { "text \($0)" })
    #expect(found.map(\.f.b) == (0..<1500).map { -$0 })
    for (index, wide) in found.enumerated() {
      #expect(wide.e.h == (index % 2 == 0 ? nil : Data([UInt8(index & 255)])))
    }
    let numbers = Array(0..<70_000)
    #expect(
      try ModelContext(container).fetchCount(
        FetchDescriptor<Wide>(predicate: #Predicate { numbers.contains($0.number) })) == 1500)
  }
}
