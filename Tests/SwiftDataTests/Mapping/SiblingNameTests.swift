import Foundation
import SwiftData
import Testing

/// Siblings share a table, and their columns get numbers where names meet.
@Suite struct SiblingNameTests {
  @Model class Tool {
    var code = 0

    init() {}
  }

  @Model final class Saw: Tool {
    var name = "saw"
    var name11 = "saw 11"

    override init() { super.init() }
  }

  @Model final class File: Tool {
    var name = "file"
    var name1 = "file 1"

    override init() { super.init() }
  }

  @Model final class Drill: Tool {
    var name1 = "drill 1"
    var name = "drill"
    var name2 = "drill 2"

    override init() { super.init() }
  }

  @Test func numberedNamesAreNotGivenTwice() throws {
    let folder = try TemporaryFolder()
    func context() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Tool.self, Saw.self, File.self, Drill.self,
          configurations: ModelConfiguration(url: folder.store)))
    }
    do {
      let context = try context()
      for tool in [Saw(), File(), Drill()] as [Tool] { context.insert(tool) }
      try context.save()
    }
    let context = try context()
    let saw = try #require(try context.fetch(FetchDescriptor<Saw>()).first)
    let file = try #require(try context.fetch(FetchDescriptor<File>()).first)
    let drill = try #require(try context.fetch(FetchDescriptor<Drill>()).first)
    #expect([saw.name, saw.name11] == ["saw", "saw 11"])
    #expect([file.name, file.name1] == ["file", "file 1"])
    #expect([drill.name, drill.name1, drill.name2] == ["drill", "drill 1", "drill 2"])
    let request = FetchDescriptor<File>(predicate: #Predicate { $0.name1 == "file 1" })
    #expect(try context.fetchCount(request) == 1)
  }
}
