import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

@Model
final class Sender {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Message.sender) var messages: [Message] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Message {
  var text: String
  var likes = 0
  var sender: Sender?
  @Relationship(inverse: \Topic.messages) var topics: [Topic] = []
  @Relationship(deleteRule: .cascade, inverse: \Answer.message) var answers: [Answer] = []

  init(_ text: String, by sender: Sender? = nil) {
    self.text = text
    self.sender = sender
  }
}

@Model
final class Topic {
  #Unique<Topic>([\.name], [\.code])
  var name: String
  var code: Int
  var messages: [Message] = []

  init(_ name: String, _ code: Int) {
    self.name = name
    self.code = code
  }
}

@Model
final class Answer {
  var text: String
  var message: Message
  var sender: Sender?

  init(_ text: String, to message: Message, by sender: Sender) {
    self.text = text
    self.message = message
    self.sender = sender
  }
}

@Model
final class Poll {
  var title: String
  @Relationship(deleteRule: .deny, inverse: \Vote.poll) var votes: [Vote] = []

  init(_ title: String) { self.title = title }
}

@Model
final class Vote {
  var poll: Poll?

  init() {}
}

@Model
final class Drawer {
  var items: [Item] = []

  init() {}
}

@Model
final class Item {
  init() {}
}

/// The round trips to the server of one save. Each costs a millisecond between two machines.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct SaveTripTests {
  private let address: String

  init() throws { address = try PostgresServer.shared.addressOfNewSchema() }

  /// - Parameter repetitions: Counts the saves that were repeated.
  private func container(counting repetitions: Repetitions? = nil) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: address)
    configuration.statementLog = repetitions?.log
    return try ModelContainer(
      for: Sender.self, Topic.self, Poll.self, Drawer.self, configurations: configuration)
  }

  private final class Repetitions: Sendable {
    private let count = Mutex(0)

    var log: StatementLog {
      StatementLog { event in
        if case .repetition = event { self.count.withLock { $0 += 1 } }
      }
    }

    /// The number since the last call.
    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  /// The least number of several saves is that of the work itself: first ones prepare statements, and some
  /// reserve keys.
  private func trips(
    after prepare: (Int) throws -> Void = { _ in }, _ save: (Int) throws -> Void
  ) throws -> Int? {
    try (0..<6).map { index in
      try prepare(index)
      let count = ExchangeCount()
      try ExchangeCount.$current.withValue(count) { try save(index) }
      return count.value
    }.min()
  }

  @Test func savesOfFewRowsAreSentWithTheirCommit() throws {
    let context = ModelContext(try container())
    let sender = Sender("first")
    let topics = (0..<3).map { Topic("topic \($0)", $0) }
    context.insert(sender)
    for topic in topics { context.insert(topic) }
    try context.save()

    let unique = try trips { index in
      context.insert(Sender("sender \(index)"))
      try context.save()
    }
    let lookedUp = try trips { index in
      context.insert(Topic("new topic \(index)", 100 + index))
      try context.save()
    }
    let few = try trips { _ in
      for index in 0..<4 { context.insert(Message("\(index)")) }
      try context.save()
    }
    let linked = try trips { _ in
      context.insert(Message("linked", by: sender))
      try context.save()
    }
    let message = Message("tagged", by: sender)
    context.insert(message)
    try context.save()
    let twice = try trips { index in
      context.insert(Answer("answer \(index)", to: message, by: sender))
      try context.save()
    }
    let tagged = try trips { index in
      let message = Message("tagged \(index)", by: sender)
      message.topics = topics
      context.insert(message)
      try context.save()
    }
    let changed = try trips { _ in
      message.likes += 1
      try context.save()
    }
    let both = try trips { _ in
      message.likes += 1
      context.insert(Message("beside"))
      try context.save()
    }
    #expect(unique == 1)
    #expect(lookedUp == 1)
    #expect(few == 1)
    #expect(linked == 1)
    #expect(twice == 1)
    #expect(tagged == 1)
    #expect(changed == 1)
    #expect(both == 1)
  }

  @Test func listsWithoutInverseTakeFewTrips() throws {
    let context = ModelContext(try container())
    let drawers = [Drawer(), Drawer()]
    for drawer in drawers { context.insert(drawer) }
    try context.save()
    _ = drawers.map(\.items)
    let new = try trips { _ in
      let drawer = Drawer()
      drawer.items = [Item(), Item(), Item()]
      context.insert(drawer)
      try context.save()
    }
    func saveTrips(of change: () -> Void) throws -> Int? {
      try trips(after: { _ in change() }, { _ in try context.save() })
    }
    let grown = try saveTrips { drawers[0].items += [Item(), Item(), Item()] }
    let moved = try saveTrips {
      let items = drawers[0].items.prefix(3)
      drawers[0].items.removeFirst(3)
      drawers[1].items += items
    }
    let taken = try saveTrips { drawers[0].items += drawers[1].items.prefix(1) }
    #expect(new == 1)
    #expect(grown == 1)
    #expect(moved == 2)
    #expect(taken == 2)
    let other = ModelContext(try container())
    #expect(try other.fetchCount(FetchDescriptor<Item>()) == 36)
    let stored = try other.fetch(
      FetchDescriptor<Drawer>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(stored.map(\.items.count) == [6, 12, 3, 3, 3, 3, 3, 3])
  }

  @Test func deletionsAndLinksTakeFewTrips() throws {
    let context = ModelContext(try container())
    let senders = (0..<20).map { Sender("sender \($0)") }
    let topics = (0..<10).map { Topic("topic \($0)", $0) }
    for sender in senders { context.insert(sender) }
    for topic in topics { context.insert(topic) }
    let messages = (0..<20).map { Message("message \($0)", by: senders[$0]) }
    for (index, message) in messages.enumerated() {
      context.insert(message)
      message.topics = Array(topics.prefix(2))
      if index % 2 == 0 { context.insert(Answer("answer", to: message, by: senders[0])) }
    }
    let plain = (0..<10).map { Message("plain \($0)") }
    for message in plain { context.insert(message) }
    let polls = (0..<6).map { Poll("poll \($0)") }
    for poll in polls { context.insert(poll) }
    try context.save()
    let deletingPlain = try trips { index in
      context.delete(plain[index])
      try context.save()
    }
    let deletingLinked = try trips { index in
      context.delete(messages[index])
      try context.save()
    }
    let deletingOwner = try trips { index in
      context.delete(senders[10 + index])
      try context.save()
    }
    let deletingTopic = try trips { index in
      context.delete(topics[9 - index])
      try context.save()
    }
    let deletingPoll = try trips { index in
      context.delete(polls[index])
      try context.save()
    }
    let moving = try trips { index in
      messages[19].sender = senders[index % 2]
      try context.save()
    }
    let tagging = try trips { index in
      messages[19].topics = [topics[index % 3]]
      try context.save()
    }
    // One for each level of rows that cascades look for, then the other rules with the deletion, and the commit.
    #expect(deletingPlain == 3)
    #expect(deletingLinked == 3)
    #expect(deletingOwner == 4)
    #expect(deletingTopic == 2)
    // The rule that may refuse it.
    #expect(deletingPoll == 3)
    // The old destination.
    #expect(moving == 2)
    // The old list, which the program reads, and the changed pairs.
    #expect(tagging == 3)
  }

  // MARK: What the save expects of rows, which the server checks at the commit

  /// The only row of its table is gone, which a plan without an index would not notice by looking at rows.
  @Test func aChangedRowThatIsGoneIsNoticed() throws {
    let repetitions = Repetitions()
    let container = try container(counting: repetitions)
    let (context, other) = (ModelContext(container), ModelContext(try self.container()))
    let message = Message("text")
    context.insert(message)
    try context.save()
    try other.delete(model: Message.self)
    try other.save()
    message.likes = 1
    try context.save()
    #expect(repetitions.take() == 1)
    #expect(try other.fetchCount(FetchDescriptor<Message>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Message>()) == 0)
    // The insertion and the deletion.
    let history = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 2)
  }

  /// A save inside a transaction is performed again, not the code of the user.
  @Test func expectationsInsideATransactionAreChecked() throws {
    let repetitions = Repetitions()
    let container = try container(counting: repetitions)
    let context = ModelContext(container)
    let (message, kept) = (Message("text"), Message("kept"))
    context.insert(message)
    context.insert(kept)
    try context.insertAndSave(Sender("a"))
    // As a program without the lock of the store.
    let rows = try PostgresConnection(ConnectionParameters(address))
    var runs = 0
    try context.transaction {
      runs += 1
      try rows.execute("DELETE FROM \"ZMESSAGE\" WHERE \"ZTEXT\" = 'text'")
      message.likes = 1
      kept.likes = 2
    }
    #expect(repetitions.take() == 1)
    try context.transaction {
      runs += 1
      let sender = Sender("a")
      context.insert(sender)
      sender.messages = [Message("of the sender")]
    }
    #expect(repetitions.take() == 1)
    #expect(runs == 2)
    let found = ModelContext(try self.container())
    #expect(try found.fetchCount(FetchDescriptor<Sender>()) == 1)
    let messages = try found.fetch(FetchDescriptor<Message>(sortBy: [SortDescriptor(\.text)]))
    #expect(messages.map(\.text) == ["kept", "of the sender"])
    #expect(messages.map(\.likes) == [2, 0])
    #expect(messages.last?.sender?.name == "a")
    let history = try found.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 3)
  }

  /// Each unit reads what it needs, and is one save.
  @Test func unitsOfAWriterTakeTwoTrips() async throws {
    let container = try container()
    try ModelContext(container).insertAndSave(Message("text"))
    let writer = ModelWriter(container)
    func like() async throws -> Int {
      try await writer.write { context in
        let count = ExchangeCount()
        return try ExchangeCount.$current.withValue(count) {
          let message = try #require(try context.fetch(FetchDescriptor<Message>()).first)
          message.likes += 1
          try context.save()
          return count.value
        }
      }
    }
    var counts: [Int] = []
    for _ in 0..<5 { counts.append(try await like()) }
    #expect(counts.min() == 2)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Message>()).map(\.likes) == [5])
  }

  /// Units that come together share a transaction; one that is refused leaves the others alone.
  @Test func aRefusedUnitOfAWriterIsUndoneAlone() async throws {
    let container = try container()
    try ModelContext(container).insertAndSave(Sender("taken"))
    let writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
    let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<40 {
        group.addTask {
          do {
            try await writer.write { context in
              context.insert(Message("\(index)"))
              context.insert(Sender(index % 4 == 0 ? "taken" : "sender \(index)"))
            }
            return false
          } catch let error as SwiftDataError {
            #expect(error == .uniquenessViolation)
            return true
          }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(refused == 10)
    let context = ModelContext(try self.container())
    #expect(try context.fetchCount(FetchDescriptor<Sender>()) == 31)
    #expect(try context.fetchCount(FetchDescriptor<Message>()) == 30)
  }

  /// Another program has left a link to a row that does not exist.
  @Test func rowsWithBrokenLinksCanBeDeleted() throws {
    let context = ModelContext(try container())
    let messages = (0..<3).map { Message("\($0)", by: Sender("sender \($0)")) }
    for message in messages { context.insert(message) }
    try context.save()
    let rows = try PostgresConnection(ConnectionParameters(address))
    try rows.execute("UPDATE \"ZMESSAGE\" SET \"ZSENDER\" = 1000000")
    context.delete(messages[0])
    try context.save()
    try context.transaction {
      messages[1].likes = 1
      try context.save()
      try context.delete(model: Message.self, where: #Predicate { $0.likes == 1 })
    }
    let found = try ModelContext(try container()).fetch(FetchDescriptor<Message>())
    #expect(found.map(\.text) == ["2"])
    let noted = try rows.prepare(
      "SELECT count(*) FROM \(HistorySQL.changes) WHERE \"ZENTITYPK\" = 1000000")
    #expect(try noted.integer() == 0)
  }

  /// A text of the history that another process has removed is added again.
  @Test func aTransactionAddsTheTextsOfItsHistory() throws {
    let context = ModelContext(try container())
    context.author = "the author"
    try context.insertAndSave(Message("text"))
    let rows = try PostgresConnection(ConnectionParameters(address))
    try rows.execute(
      "DELETE FROM \"ACHANGE\"; DELETE FROM \"ATRANSACTION\"; DELETE FROM \"ATRANSACTIONSTRING\"")
    try context.transaction { context.insert(Message("second")) }
    try context.transaction { context.insert(Message("third")) }
    let history = try ModelContext(try container())
      .fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["the author", "the author"])
    let texts = try rows.prepare(
      "SELECT count(*), count(DISTINCT \"ZNAME\") FROM \"ATRANSACTIONSTRING\""
    ).integers()
    #expect(texts[0] == texts[1])
  }

  @Test func aDestinationThatIsGoneIsNoticed() throws {
    let repetitions = Repetitions()
    let container = try container(counting: repetitions)
    let (context, other) = (ModelContext(container), ModelContext(try self.container()))
    let sender = Sender("a")
    context.insert(sender)
    try context.save()
    try other.delete(model: Sender.self)
    try other.save()
    let message = Message("text", by: sender)
    context.insert(message)
    try context.save()
    #expect(repetitions.take() == 1)
    #expect(message.sender == nil)
    let stored = try ModelContext(try self.container()).fetch(FetchDescriptor<Message>())
    #expect(stored.count == 1)
    #expect(stored.first?.sender == nil)
  }

  @Test func aTakenValueIsNoticed() throws {
    let repetitions = Repetitions()
    let container = try container(counting: repetitions)
    try ModelContext(try self.container()).insertAndSave(Sender("a"), Topic("t", 1))
    let context = ModelContext(container)
    let sender = Sender("a")
    context.insert(sender)
    sender.messages = [Message("text")]
    try context.save()
    #expect(repetitions.take() == 1)
    context.insert(Topic("other", 1))
    try context.save()
    #expect(repetitions.take() == 1)
    let found = ModelContext(try self.container())
    #expect(try found.fetchCount(FetchDescriptor<Sender>()) == 1)
    #expect(try found.fetch(FetchDescriptor<Message>()).first?.sender?.name == "a")
    #expect(try found.fetch(FetchDescriptor<Topic>()).map(\.name) == ["other"])
  }

  @Test func twoNewRowsWithOneValueAreNoticed() throws {
    let context = ModelContext(try container())
    context.insert(Sender("a"))
    context.insert(Sender("a"))
    context.insert(Topic("a", 1))
    context.insert(Topic("b", 1))
    try context.save()
    let found = ModelContext(try container())
    #expect(try found.fetchCount(FetchDescriptor<Sender>()) == 1)
    #expect(try found.fetch(FetchDescriptor<Topic>()).map(\.name) == ["b"])
  }

  @Test func aTakenValueIsRefusedWithItsHolder() throws {
    let context = ModelContext(try container())
    let sender = Sender("a")
    context.insert(sender)
    try context.save()
    let other = ModelContext(try container())
    other.uniquenessPolicy = .refuse
    other.insert(Sender("a"))
    do {
      try other.save()
      Issue.record("saved")
    } catch let error as SwiftDataError {
      #expect(error == .uniquenessViolation)
      guard case .uniqueValueTaken(let entity, let properties, let holder) = error.reason else {
        Issue.record("\(error.reason)")
        return
      }
      #expect((entity, properties) == ("Sender", ["name"]))
      #expect(holder == sender.persistentModelID)
    }
  }

  /// An import that is repeated does not fail at each commit.
  @Test func rowsThatAreMergedOftenAreLookedUpFirst() throws {
    let repetitions = Repetitions()
    let container = try container(counting: repetitions)
    try ModelContext(container).insertAndSave(Sender("a"), Topic("t", 1))
    for index in 0..<100 {
      let context = ModelContext(container)
      context.insert(Sender("a"))
      context.insert(Topic("t", index))
      try context.save()
    }
    // At first for the sender, and then for the topic.
    #expect(repetitions.take() <= 2)
    let context = ModelContext(container)
    func trips(_ name: String) throws -> Int {
      let count = ExchangeCount()
      context.insert(Sender(name))
      try ExchangeCount.$current.withValue(count) { try context.save() }
      return count.value
    }
    #expect(try (0..<10).map { try trips("\($0)") }.min() == 2)
    #expect(try (10..<100).map { try trips("\($0)") }.min() == 1)
  }
}

extension ModelContext {
  fileprivate func insertAndSave(_ models: any PersistentModel...) throws {
    for model in models { insert(model) }
    try save()
  }
}
