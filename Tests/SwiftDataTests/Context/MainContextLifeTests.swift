import Foundation
import SwiftData
import Testing

/// A container and its main context go together, and keep each other while one is in use.
@MainActor @Suite(.databases) struct MainContextLifeTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Graph.Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func aContainerWhoseMainContextWasUsedIsFreed() throws {
    weak var freed: ModelContainer?
    weak var context: ModelContext?
    do {
      let container = try container()
      (freed, context) = (container, container.mainContext)
      container.mainContext.insert(Graph.Stop("a"))
      try container.mainContext.save()
      #expect(container.mainContext.container === container)
    }
    #expect(freed == nil)
    #expect(context == nil)
  }

  @Test func aMainContextOutlivesItsContainer() throws {
    let context = try container().mainContext
    context.insert(Graph.Stop("a"))
    try context.save()
    let container = context.container
    #expect(container.mainContext === context)
    #expect(context.container === container)
    #expect(container.schema.entities.map(\.name) == ["Stop"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Graph.Stop>()) == 1)
    let other = ModelContext(context.container)
    other.insert(Graph.Stop("b"))
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Graph.Stop>()) == 2)
  }

  @Test func aContainerKeepsItsMainContext() throws {
    let container = try container()
    container.mainContext.autosaveEnabled = false
    container.mainContext.insert(Graph.Stop("a"))
    #expect(container.mainContext.insertedModelsArray.count == 1)
    container.mainContext.rollback()
  }
}
