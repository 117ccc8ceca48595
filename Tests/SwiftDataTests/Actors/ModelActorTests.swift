import Dispatch
import Foundation
import SwiftData
import Testing

@Model final class ActorNote {
  var title: String

  init(title: String) {
    self.title = title
  }
}

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

  func insert(_ title: String) throws -> PersistentIdentifier {
    let note = ActorNote(title: title)
    modelContext.insert(note)
    try modelContext.save()
    return note.persistentModelID
  }

  func title(of id: PersistentIdentifier) -> String? { self[id, as: ActorNote.self]?.title }
}

@Suite struct ModelActorTests {
  private func notebook() throws -> Notebook {
    Notebook(
      modelContainer: try ModelContainer(
        for: ActorNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
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
    #expect(await notebook.title(of: id) == "a")
    let other = Notebook(modelContainer: notebook.modelContainer)
    #expect(await other.title(of: id) == "a")
  }
}
