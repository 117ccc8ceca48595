import Foundation
import SwiftData
import Testing

/// What a model says of itself where no store has its row.
@Suite(.databases) struct MissingRowTests {
  private func identifier(
    like id: PersistentIdentifier, replacing old: String, with new: String
  ) throws -> PersistentIdentifier {
    let text = String(decoding: try JSONEncoder().encode(id), as: UTF8.self)
    return try JSONDecoder().decode(
      PersistentIdentifier.self, from: Data(text.replacing(old, with: new).utf8))
  }

  @Test func aMissingRowIsDeletedWhateverIsAskedFirst() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    try context.save()
    let id = parent.persistentModelID
    let missing = try identifier(like: id, replacing: "p1", with: "p99")
    #expect(context.model(for: missing).isDeleted)
    let again = ModelContext(context.container)
    #expect(again.model(for: missing).modelContext == nil)
    let store = try #require(id.storeIdentifier)
    let foreign = try identifier(like: id, replacing: store, with: UUID().uuidString)
    #expect(context.model(for: foreign).isDeleted)
    #expect(context.model(for: foreign).modelContext == nil)
    #expect(!again.model(for: id).isDeleted)
    #expect(again.model(for: id).modelContext === again)
  }

  @Test func aModelOfAnotherContainerIsDeletedHere() throws {
    let (here, there) = (try Graph.context(), try Graph.context())
    let parent = Graph.Parent("p")
    there.insert(parent)
    try there.save()
    #expect(here.model(for: parent.persistentModelID).isDeleted)
    #expect(!there.model(for: parent.persistentModelID).isDeleted)
  }

  @Test func askingReadsARowOnce() throws {
    let context = try Graph.context()
    context.insert(Graph.Child("c", parent: Graph.Parent("p")))
    try context.save()
    let other = ModelContext(context.container)
    let child = try #require(try other.fetch(FetchDescriptor<Graph.Child>()).first)
    let parent = try #require(child.parent)
    #expect(!parent.isDeleted && parent.modelContext === other)
    #expect(parent.name == "p")
  }
}
