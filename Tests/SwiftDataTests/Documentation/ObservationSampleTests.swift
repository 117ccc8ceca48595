import Foundation
import SwiftData
import Testing

/// The samples on changes that others make.
@Suite struct ObservationSampleTests {
  private typealias Trip = Travel.Trip

  private func observe(_ container: ModelContainer) -> any NSObjectProtocol {
    container.observesRemoteChanges = true
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { notification in
      let end = notification.userInfo?[ModelContainer.remoteChangeTokenKey] as? DefaultHistoryToken
      print("changed up to transaction", end?.id ?? 0)
    }
    return observer
  }

  @Test func remoteChangesAreObserved() throws {
    let folder = try TemporaryFolder()
    let container = try StoreFolder.container(folder.store)
    let observer = observe(container)
    #expect(container.observesRemoteChanges)
    NotificationCenter.default.removeObserver(observer)
  }

  @Test func aSaveNamesWhatItInserted() throws {
    let context = ModelContext(try Library.container())
    nonisolated(unsafe) var found: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let inserted = notification.userInfo?["inserted"] as? [PersistentIdentifier] ?? []
      found = inserted
    }
    let author = Author(name: "Ann")
    context.insert(author)
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    #expect(found == [author.persistentModelID])
  }

  @Test func aDifferenceIsSentAsJSON() throws {
    let shown = try ["p1", "p2"].map {
      try PersistentIdentifier.identifier(for: "s", entityName: "Trip", primaryKey: $0)
    }
    let current = Array(shown.reversed())
    let changed = Set(shown.prefix(1))
    let difference = ResultsDifference(from: shown, to: current, updated: changed)
    let message = try JSONEncoder().encode(difference)
    #expect(try JSONDecoder().decode(ResultsDifference.self, from: message) == difference)
  }
}
