import Foundation
import SwiftData
import Testing

@Suite struct ModelConfigurationTests {
  @Test func theDefaultStoreIsInTheFolderOfTheApp() {
    let configuration = ModelConfiguration()
    #expect(configuration.name == "default")
    #expect(configuration.url.lastPathComponent == "default.store")
    #expect(configuration.url.path.hasPrefix(URL.applicationSupportDirectory.path))
    #expect(configuration.allowsSave)
    #expect(!configuration.isStoredInMemoryOnly)
    #expect(configuration.schema == nil)
    #expect(configuration.id == configuration.url)
  }

  @Test func theNameNamesTheFile() {
    #expect(ModelConfiguration("Photos").url.lastPathComponent == "Photos.store")
    #expect(ModelConfiguration(url: URL(filePath: "/tmp/a.b/c.sqlite")).name == "c")
    #expect(ModelConfiguration("x", url: URL(filePath: "/tmp/c.sqlite")).name == "x")
  }

  @Test func storesInMemoryHaveNoFile() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(configuration.url.path == "/dev/null")
    #expect(configuration.isStoredInMemoryOnly)
    try configuration.validate()
    try ModelConfiguration("a/b", isStoredInMemoryOnly: true).validate()
  }

  @Test func groupsAndCloudDatabasesAreNoted() {
    let configuration = ModelConfiguration(
      groupContainer: .identifier("group.a"), cloudKitDatabase: .private("iCloud.a"))
    #expect(configuration.groupAppContainerIdentifier == "group.a")
    #expect(configuration.cloudKitContainerIdentifier == "iCloud.a")
    #expect(ModelConfiguration(cloudKitDatabase: .none).cloudKitContainerIdentifier == nil)
    #expect(ModelConfiguration().groupAppContainerIdentifier == nil)
  }

  @Test(arguments: ["", "a/b", "a\u{0}b"])
  func namesThatAreNoFileNamesAreRefused(_ name: String) {
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelConfiguration(name).validate()
    }
  }

  @Test func longNamesAreRefused() throws {
    try ModelConfiguration(String(repeating: "a", count: 241)).validate()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelConfiguration(String(repeating: "a", count: 242)).validate()
    }
    #expect(error == .configurationFileNameTooLong)
    #expect(error?.description.contains("248 bytes; at most 247 are allowed") == true)
  }

  /// What the check lets through, SQLite can create.
  @Test func theLongestNamesAndPathsCanBeUsed() throws {
    let folder = try TemporaryFolder()
    let name = folder.url.appending(path: String(repeating: "a", count: 247))
    _ = try ModelContainer(for: Named.Trip.self, configurations: ModelConfiguration(url: name))
    var long = folder.url.appending(path: "deep")
    while long.path.utf8.count < 380 { long.append(path: String(repeating: "b", count: 50)) }
    long.append(path: String(repeating: "c", count: 504 - long.path.utf8.count - 1))
    #expect(long.path.utf8.count == 504)
    _ = try ModelContainer(for: Named.Trip.self, configurations: ModelConfiguration(url: long))
    let error = #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      let longer = URL(filePath: long.path + "c")
      _ = try ModelContainer(for: Named.Trip.self, configurations: ModelConfiguration(url: longer))
    }
    #expect(error?.description.contains("has 505 bytes") == true, "\(error as Any)")
  }

  @Test func theFolderOfALinksTargetIsCreated() throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appending(path: "link.store")
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: "data/app.store")
    _ = try ModelContainer(for: Named.Trip.self, configurations: ModelConfiguration(url: link))
    #expect(
      FileManager.default.fileExists(atPath: folder.url.appending(path: "data/app.store").path))
  }

  @Test func pathsThatLeadNowhereAreExplained() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appending(path: "file"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "loop").path, withDestinationPath: "loop")
    for (path, words) in [
      ("file/a.store", "a part of the path is a file"), ("loop/a.store", "lead to each other"),
    ] {
      for allowsSave in [true, false] {
        let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
          try ModelContainer(
            for: Named.Trip.self,
            configurations: ModelConfiguration(
              url: folder.url.appending(path: path), allowsSave: allowsSave))
        }
        #expect(error?.description.contains(words) == true, "\(error as Any)")
      }
    }
  }

  @Test func locationsThatAreNoFilesAreRefused() throws {
    let url = try #require(URL(string: "https://example.org/a.store"))
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelConfiguration(url: url).validate()
    }
    #expect(
      error?.description.contains("The URL https://example.org/a.store of the store is not a file")
        == true)
  }

  @Test func aLocationWithoutSchemeSaysHowToMakeAFileURL() throws {
    let url = try #require(URL(string: "/tmp/a.store"))
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Author.self, configurations: ModelConfiguration(url: url))
    }
    let text = error?.description ?? ""
    #expect(text.contains("The URL /tmp/a.store of the store has no scheme"), "\(text)")
    #expect(text.contains("URL(filePath:)"))
    #expect(!text.contains("name of the configuration"))
  }

  @Test func aMissingFileThatMustNotBeMadeIsNamed() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "missing.store")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Author.self, configurations: ModelConfiguration(url: url, allowsSave: false))
    }
    let text = error?.description ?? ""
    #expect(text.contains("There is no file at \(url.path)"), "\(text)")
    #expect(!text.contains("permission") && !text.contains("writ"), "\(text)")
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(arguments: [".hidden.store", "two\nlines.store", ".store", "tab\tand bell\u{7}"])
  func unusualFileNamesAreOpenedAgain(_ name: String) throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.url.appending(path: name))
    for count in 1...2 {
      let context = ModelContext(
        try ModelContainer(for: Author.self, configurations: configuration))
      context.insert(Author(name: "a\(count)"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Author>()) == count)
    }
    #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: name).path))
  }

  @Test func aFaultySchemaIsRefused() {
    let schema = Schema(Schema.Entity("Item"), Schema.Entity("Item"))
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelConfiguration(schema: schema, isStoredInMemoryOnly: true).validate()
    }
  }

  @Test func configurationsAreEqualWhenTheyDescribeOneStore() {
    #expect(ModelConfiguration("a") == ModelConfiguration("a"))
    #expect(ModelConfiguration("a") != ModelConfiguration("b"))
    #expect(ModelConfiguration("a") != ModelConfiguration("a", allowsSave: false))
    let (first, second) = (Schema(Schema.Entity("A")), Schema(Schema.Entity("B")))
    #expect(
      Set([
        ModelConfiguration(schema: first, isStoredInMemoryOnly: true),
        ModelConfiguration(schema: second, isStoredInMemoryOnly: true),
      ]).count == 2)
  }
}
