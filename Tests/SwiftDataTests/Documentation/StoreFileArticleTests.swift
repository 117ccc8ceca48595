import Foundation
import SwiftData
import Testing

extension Travel {
  /// The sample of the article *Store files*.
  @Suite struct StoreFileArticleTests {
    /// The file of a server; compiled only.
    private func fileOfAServer() -> URL {
      let file = URL(filePath: "/var/lib/travel/trips.store")

      return file
    }

    @Test func aContainerNamesTheStoreOfAConfiguration() throws {
      let folder = try TemporaryFolder()
      let file = folder.url.appending(path: "trips.store")

      let container = try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(url: file))
      let identifier = container.storeIdentifier(forConfigurationNamed: "trips")

      #expect(try SQLiteFile.text("SELECT Z_UUID FROM Z_METADATA", in: file) == identifier)
    }
  }
}
