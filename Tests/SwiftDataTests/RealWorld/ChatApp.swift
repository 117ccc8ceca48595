import Foundation
import SwiftData
import Testing

/// Background actors that exchange identifiers; required to-one relationships.
enum ChatApp {
  @Model final class User {
    @Attribute(.unique) var id: String
    var name: String
    @Attribute(.externalStorage) var avatar: Data?
    @Relationship(deleteRule: .cascade, inverse: \Message.sender) var sent: [Message] = []
    @Relationship(inverse: \Conversation.members) var conversations: [Conversation] = []

    init(id: String, name: String, avatar: Data? = nil) {
      self.id = id
      self.name = name
      self.avatar = avatar
    }
  }

  @Model final class Conversation {
    var id = UUID()
    var members: [User] = []
    @Relationship(deleteRule: .cascade, inverse: \Message.conversation)
    var messages: [Message] = []

    init(members: [User]) { self.members = members }

    var latest: Message? { messages.max { $0.date < $1.date } }
  }

  @Model final class Message {
    var text: String
    var date: Date
    var sender: User
    var conversation: Conversation
    var reactions: [String: Int] = [:]

    init(text: String, date: Date, sender: User, conversation: Conversation) {
      self.text = text
      self.date = date
      self.sender = sender
      self.conversation = conversation
    }
  }

  @ModelActor
  actor Service {
    func open(_ names: [String]) throws -> PersistentIdentifier {
      let users = names.map { User(id: $0.lowercased(), name: $0, avatar: Data(count: 200_000)) }
      let conversation = Conversation(members: users)
      modelContext.insert(conversation)
      try modelContext.save()
      return conversation.persistentModelID
    }

    func post(
      _ text: String, from name: String, at time: Double, in id: PersistentIdentifier
    ) throws {
      guard let conversation = self[id, as: Conversation.self] else { return }
      let user = try modelContext.fetch(
        FetchDescriptor<User>(predicate: #Predicate { $0.name == name })
      ).first!
      let message = Message(
        text: text, date: Date(timeIntervalSince1970: time), sender: user,
        conversation: conversation)
      modelContext.insert(message)
      message.reactions["+1", default: 0] += 1
      try modelContext.save()
    }

    func latest(in id: PersistentIdentifier) -> String? {
      (modelContext.model(for: id) as? Conversation)?.latest?.text
    }

    func leave(_ name: String) throws {
      try modelContext.delete(model: User.self, where: #Predicate { $0.name == name })
    }
  }
}

@Suite(.databases) struct ChatAppTests {
  @Test func actorsShareConversationsByIdentifier() async throws {
    let container = try ModelContainer(
      for: ChatApp.User.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let service = ChatApp.Service(modelContainer: container)
    let id = try await service.open(["Ann", "Bob"])
    try await service.post("hi", from: "Ann", at: 1, in: id)
    let other = ChatApp.Service(modelContainer: container)
    try await other.post("hello", from: "Bob", at: 2, in: id)
    #expect(await other.latest(in: id) == "hello")
    let context = ModelContext(container)
    let bob = try #require(
      try context.fetch(
        FetchDescriptor<ChatApp.User>(predicate: #Predicate { $0.id == "bob" })
      ).first)
    #expect(bob.avatar?.count == 200_000)
    #expect(bob.sent.first?.reactions == ["+1": 1])
    #expect(bob.sent.first?.conversation.members.count == 2)
    let byAnn = FetchDescriptor<ChatApp.Message>(predicate: #Predicate { $0.sender.name == "Ann" })
    #expect(try context.fetch(byAnn).map(\.text) == ["hi"])
    try await service.leave("Ann")
    #expect(try context.fetchCount(FetchDescriptor<ChatApp.Message>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<ChatApp.User>()) == 1)
  }
}
