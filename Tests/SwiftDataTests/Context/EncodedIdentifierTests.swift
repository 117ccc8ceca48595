import Foundation
import SwiftData
import Testing

/// Identifiers of models that no save has stored, as JSON and back.
@Suite(.databases) struct EncodedIdentifierTests {
  typealias Parent = Graph.Parent

  private func decoded(_ json: Data) throws -> PersistentIdentifier {
    try JSONDecoder().decode(PersistentIdentifier.self, from: json)
  }

  @Test func aTemporaryIdentifierSurvives() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    context.insert(parent)
    context.insert(Parent("other"))
    let json = try JSONEncoder().encode(parent.persistentModelID)
    let back = try decoded(json)
    #expect(back == parent.persistentModelID)
    #expect(back.hashValue == parent.persistentModelID.hashValue)
    #expect(back.storeIdentifier == nil && back.entityName == "Parent")
    let registered: Parent? = context.registeredModel(for: back)
    #expect(registered === parent)
    #expect(context.model(for: back) === parent)
    let found = try context.fetch(
      FetchDescriptor<Parent>(predicate: #Predicate { $0.persistentModelID == back }))
    #expect(found.map(\.name) == ["p"])
  }

  @Test func itLeadsToTheModelAfterTheSave() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    context.insert(parent)
    let json = try JSONEncoder().encode(parent.persistentModelID)
    try context.save()
    let back = try decoded(json)
    #expect(context.model(for: back) === parent)
    let registered: Parent? = context.registeredModel(for: back)
    #expect(registered === parent)
    let found = try context.fetch(
      FetchDescriptor<Parent>(predicate: #Predicate { $0.persistentModelID == back }))
    #expect(found == [parent])
    let other = ModelContext(context.container)
    #expect((other.model(for: back) as? Parent)?.name == "p")
    // From here on it is encoded as the permanent one.
    #expect(try decoded(try JSONEncoder().encode(back)) == parent.persistentModelID)
  }

  @Test func whereNothingIsKnownOfItItLeadsToNothing() throws {
    let context = try Graph.context()
    let text = """
      {"implementation": {"primaryKey": "t1-1", "uriRepresentation": "x", "isTemporary": true, \
      "entityName": "Parent"}}
      """
    let (one, two) = (try decoded(Data(text.utf8)), try decoded(Data(text.utf8)))
    #expect(one == two)
    let registered: Parent? = context.registeredModel(for: one)
    #expect(registered == nil)
    #expect(context.model(for: one).isDeleted)
    #expect(try decoded(try JSONEncoder().encode(one)) == one)
    let found = try context.fetch(
      FetchDescriptor<Parent>(predicate: #Predicate { $0.persistentModelID == one }))
    #expect(found.isEmpty)
  }

  @Test func aRollbackKeepsItForTheModel() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    context.insert(parent)
    let json = try JSONEncoder().encode(parent.persistentModelID)
    context.rollback()
    #expect(context.model(for: try decoded(json)).isDeleted)
    context.insert(parent)
    #expect(context.model(for: try decoded(json)) === parent)
  }

  @Test func manyAreDecodedWhileOthersGo() async throws {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let parent = Parent("p")
            guard let json = try? JSONEncoder().encode(parent.persistentModelID) else { continue }
            let back = try? JSONDecoder().decode(PersistentIdentifier.self, from: json)
            #expect(back == parent.persistentModelID)
          }
        }
      }
    }
  }
}
