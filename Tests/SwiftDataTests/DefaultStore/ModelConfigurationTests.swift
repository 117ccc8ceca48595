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

  @Test(arguments: ["", ".hidden", "a/b", "a\u{0}b", "a\nb"])
  func namesThatAreNoFileNamesAreRefused(_ name: String) {
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelConfiguration(name).validate()
    }
  }

  @Test func longNamesAreRefused() throws {
    try ModelConfiguration(String(repeating: "a", count: 245)).validate()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelConfiguration(String(repeating: "a", count: 246)).validate()
    }
    #expect(error == .configurationFileNameTooLong)
    #expect(error?.description.contains("252 bytes; at most 251 are possible") == true)
  }

  @Test func locationsThatAreNoFilesAreRefused() throws {
    let url = try #require(URL(string: "https://example.org/a.store"))
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelConfiguration(url: url).validate()
    }
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
