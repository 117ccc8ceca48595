import Foundation
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

/// Values that a store can't tell apart, or that never count as equal, are named on standard error.
@Suite struct ValueWarningTests {
  struct Filter: Codable, Hashable {
    var least: Double?
    var largest: Double?
  }

  struct Code: Codable, Hashable {
    var city: String
    var part: String?
  }

  @Model final class Search {
    var filter: Filter?
    var other = Filter()

    init(_ filter: Filter?) { self.filter = filter }
  }

  @Model final class Area {
    @Attribute(.unique) var code: Code
    @Attribute(.unique, .codable) var whole: Code
    @Attribute(.unique) var name: String

    init(_ name: String, _ code: Code) { (self.name, self.code, whole) = (name, code, code) }
  }

  @Model final class Region {
    @Attribute(.unique) var code: Code

    init(_ code: Code) { self.code = code }
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func aValueWhoseMembersAreAllNil() throws {
    let lines = Lines()
    try WarningLog.$receiver.withValue({ lines.add($0) }) {
      let container = try ModelContainer(
        for: Search.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      context.insert(Search(Filter(least: 1)))
      context.insert(Search(nil))
      try context.save()
      #expect(lines.all.isEmpty)
      for _ in 0..<2 {
        context.insert(Search(Filter()))
        try context.save()
      }
      let found = try ModelContext(container).fetch(FetchDescriptor<Search>())
      #expect(found.count { $0.filter == nil } == 3)
      #expect(found.allSatisfy { $0.other == Filter() })
    }
    #expect(lines.all.count == 1 && lines.all.first?.contains("Search.filter has") == true)
  }

  @Test func aUniqueValueWithOptionalMembers() throws {
    let lines = Lines()
    try WarningLog.$receiver.withValue({ lines.add($0) }) {
      let container = try ModelContainer(
        for: Area.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      context.insert(Area("a", Code(city: "x")))
      try context.save()
      context.insert(Area("b", Code(city: "x")))
      try context.save()
      // The attribute that is stored whole is unique.
      #expect(try context.fetch(FetchDescriptor<Area>()).map(\.name) == ["b"])
    }
    #expect(lines.all.count == 1)
    #expect(lines.all.first?.contains("Area.code is unique") == true)
    #expect(lines.all.first?.contains("(part)") == true)
  }

  /// A store of an app compares values in its own way.
  @Test func aUniqueValueWithOptionalMembersInACustomStore() throws {
    let lines = Lines()
    try WarningLog.$receiver.withValue({ lines.add($0) }) {
      _ = try ModelContainer(for: Region.self, configurations: DictionaryStoreConfiguration())
      #expect(lines.all.isEmpty)
      _ = try ModelContainer(
        for: Region.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(lines.all.count == 1 && lines.all.first?.contains("Region.code is unique") == true)
  }

  @Test func theNullDeviceIsAStoreInMemory() throws {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: "/dev/null"))
    #expect(configuration.isStoredInMemoryOnly)
    let container = try ModelContainer(for: Search.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Search(nil))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Search>()) == 1)
  }
}
