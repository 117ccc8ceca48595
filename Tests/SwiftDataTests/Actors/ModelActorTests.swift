import Dispatch
import Foundation
import SwiftData
import Testing

private actor Notebook: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  private(set) var order: [Int] = []

  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }

  func isOnMainThread() -> Bool { Thread.isMainThread }

  func note(_ number: Int) { order.append(number) }

  func insert(_ name: String) throws -> PersistentIdentifier {
    let trip = Named.Trip(name)
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func name(of id: PersistentIdentifier) -> String? { self[id, as: Named.Trip.self]?.name }
}

@Suite(.databases) struct ModelActorTests {
  private func notebook() throws -> Notebook {
    Notebook(
      modelContainer: try ModelContainer(
        for: Named.Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func theActorNeverRunsOnTheMainThread() async throws {
    let notebook = try notebook()
    #expect(await notebook.isOnMainThread() == false)
    #expect(await Task { @MainActor in await notebook.isOnMainThread() }.value == false)
  }

  @Test func workIsDoneInTheOrderOfTheCalls() async throws {
    let notebook = try notebook()
    for number in 0..<100 { await notebook.note(number) }
    #expect(await notebook.order == Array(0..<100))
  }

  @Test func modelsAreFoundByIdentifier() async throws {
    let notebook = try notebook()
    let id = try await notebook.insert("a")
    #expect(await notebook.name(of: id) == "a")
    let other = Notebook(modelContainer: notebook.modelContainer)
    #expect(await other.name(of: id) == "a")
  }
}
