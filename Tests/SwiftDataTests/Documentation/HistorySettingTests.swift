import Foundation
import SwiftData
import Testing

extension Travel {
  /// The samples at the settings of the history.
  struct HistorySettingTests {
    @Test func aRetentionHasLimits() {
      var configuration = ModelConfiguration("trips")
      configuration.historyRetention = HistoryRetention(maximumAge: 30 * 86_400)
      #expect(configuration.historyRetention?.maximumAge == 2_592_000)
      #expect(configuration.historyRetention?.maximumCount == nil)
    }

    @Test func aBulkLoadKeepsNoHistory() throws {
      let folder = try TemporaryFolder()
      let url = folder.store

      var configuration = ModelConfiguration(url: url)
      configuration.keepsHistory = false
      let container = try ModelContainer(for: Trip.self, configurations: configuration)

      let context = ModelContext(container)
      context.insert(Trip(name: "Lisbon", start: .now))
      try context.save()
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.map(\.changes.count) == [0])
      #expect(history.first?.contextName == "changes without history")
    }
  }
}
