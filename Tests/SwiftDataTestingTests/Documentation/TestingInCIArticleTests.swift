import Foundation
import SwiftData
import SwiftDataTesting
import Testing

enum TestingInCIArticle {
  enum TripsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model
    final class Trip {
      var title: String

      init(title: String) { self.title = title }
    }
  }

  enum TripsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model
    final class Trip {
      @Attribute(originalName: "title") var name: String
      var rating = 0

      init(name: String) { self.name = name }
    }
  }

  enum TripsPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [TripsV1.self, TripsV2.self]
    static let stages: [MigrationStage] = [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)
    ]
  }
}

/// The samples of the article *Testing an app's model layer on Linux in CI*.
@Suite struct TestingInCIArticleTests {
  typealias TripsV1 = TestingInCIArticle.TripsV1
  typealias TripsV2 = TestingInCIArticle.TripsV2
  typealias TripsPlan = TestingInCIArticle.TripsPlan

  func expectMigration(of file: URL) throws {
    let temporary = try TemporaryContainer(
      copying: file, for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self)

    try expectContents(
      """
      {
        "Trip": [
          {"id": "1", "name": "Lisbon", "rating": 0}
        ]
      }
      """, in: temporary)
  }

  /// A file that no container has open.
  private func releasedFile() throws -> URL {
    let released = try TemporaryContainer(
      versionedSchema: TripsV1.self, storage: .file,
      seed: """
        {"Trip": [{"title": "Lisbon"}]}
        """)
    released.keepsFiles = true
    return try #require(released.url)
  }

  /// Stands for the folder that the article takes from `#filePath`.
  @Test func filesOfReleasesAreMigrated() throws {
    let file = try releasedFile()
    let stores = file.deletingLastPathComponent()
    defer { try? FileManager.default.removeItem(at: stores.deletingLastPathComponent()) }
    for release in ["1.0", "1.1"] {
      try FileManager.default.copyItem(at: file, to: stores.appending(path: "\(release).store"))
    }

    for release in ["1.0", "1.1"] {
      try expectMigration(of: stores.appending(path: "\(release).store"))
    }
  }

  @Test func aMigrationSurvivesACrash() throws {
    let temporary = try TemporaryContainer(
      versionedSchema: TripsV1.self, storage: .file,
      seed: """
        {"Trip": [{"title": "Lisbon"}]}
        """)

    try temporary.reopen(
      for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
      crashingAfterStatement: 20)

    let names = try temporary.makeContext().fetch(FetchDescriptor<TripsV2.Trip>()).map(\.name)
    #expect(names == ["Lisbon"])
  }

  @Test func aFolderBesideTheSourcesIsFound() {
    let stores = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Stores")
    #expect(stores.path.hasSuffix("/SwiftDataTestingTests/Documentation/Stores"))
  }

  @Test func aVersionThatWasNeverReleasedIsMigrated() throws {
    let temporary = try TemporaryContainer(
      versionedSchema: TripsV1.self, storage: .file,
      seed: """
        {"Trip": [{"title": "Lisbon"}]}
        """)
    try temporary.reopen(for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self)
    let names = try temporary.makeContext().fetch(FetchDescriptor<TripsV2.Trip>()).map(\.name)
    #expect(names == ["Lisbon"])
  }
}
