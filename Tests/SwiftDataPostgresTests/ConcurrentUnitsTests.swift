import Dispatch
import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Units of a `ModelWriter` on a server that isolates several writers from each other.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct ConcurrentUnitsTests {
  private let address: String

  init() throws { address = try PostgresServer.shared.addressOfNewSchema() }

  private func container(
    _ address: String? = nil, connections: Int = 8, _ log: StatementLog? = nil,
    statementTimeout: Duration = .seconds(60)
  ) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: address ?? self.address)
    configuration.connections = connections
    configuration.statementLog = log
    configuration.statementTimeout = statementTimeout
    return try ModelContainer(
      for: Sender.self, Topic.self, Poll.self, Drawer.self, configurations: configuration)
  }

  /// What happened, by any thread.
  private final class Events<Event: Sendable>: Sendable {
    private let list = Mutex<[Event]>([])

    var all: [Event] { list.withLock { $0 } }

    func add(_ event: Event) { list.withLock { $0.append(event) } }
  }

  private func message(_ text: String, in context: ModelContext) throws -> Message {
    let descriptor = FetchDescriptor<Message>(predicate: #Predicate { $0.text == text })
    return try #require(try context.fetch(descriptor).first)
  }

  private func likes(_ text: String) throws -> Int {
    try message(text, in: ModelContext(container())).likes
  }

  /// Changes of a message by another container.
  private func like(_ text: String) throws {
    let context = ModelContext(try container())
    try message(text, in: context).likes += 1
    try context.save()
  }

  private func add(_ texts: String...) throws {
    let context = ModelContext(try container())
    for text in texts { context.insert(Message(text)) }
    try context.save()
  }

  /// The statement waits for a lock that is held until the read has ended.
  @Test func aCancelledReadEndsItsStatement() async throws {
    try add("a")
    let readers = ModelReaders(try container(), count: 1)
    let other = try PostgresConnection(ConnectionParameters(address))
    try other.execute("BEGIN; LOCK TABLE \"ZMESSAGE\" IN ACCESS EXCLUSIVE MODE")
    let begun = AsyncStream<Void>.makeStream()
    let reading = Task {
      try await readers.read { context in
        // A snapshot inside that of the read.
        _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        begun.continuation.finish()
        return try context.fetchCount(FetchDescriptor<Message>())
      }
    }
    for await _ in begun.stream {}
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    try other.execute("COMMIT")
    #expect(try await readers.read { try $0.fetchCount(FetchDescriptor<Message>()) } == 1)
  }

  /// Each waits until all of them run.
  @Test func asManyRunAsHalfOfTheConnections() async throws {
    let writer = ModelWriter(try container(connections: 6))
    // The first save adds the texts of the history, which all of them read.
    try await writer.write { $0.insert(Message("first")) }
    let arrivals = Events<Int>()
    let goOn = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<3 {
        group.addTask {
          try await writer.write { context in
            arrivals.add(index)
            #expect(goOn.wait(timeout: .now() + 120) == .success)
            context.insert(Message("\(index)"))
          }
        }
      }
      try await eventually("all run") { arrivals.all.count == 3 }
      for _ in 0..<3 { goOn.signal() }
      try await group.waitForAll()
    }
    #expect(arrivals.all.count == 3)
    #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Message>()) == 4)
  }

  /// The begin with the first read, and the changes with the commit.
  @Test func aUnitTakesTwoTripsWithItsCommit() async throws {
    try add("a")
    let statements = Events<String>()
    let log = StatementLog { event in
      if case .statement(let statement) = event { statements.add(statement.sql) }
    }
    let proxy = try PostgresProxy(to: PostgresServer.shared.socketFolder)
    let writer = ModelWriter(try container(proxy.address(like: address), log))
    func like() async throws -> Duration {
      try await ContinuousClock().measure {
        try await writer.write { try message("a", in: $0).likes += 1 }
      }
    }
    for _ in 0..<3 { _ = try await like() }
    let first = statements.all.count
    let answer = 0.5
    proxy.set(.slow(seconds: answer))
    // Busy cores take their time too.
    var durations: [Duration] = []
    for _ in 0..<8 where durations.allSatisfy({ $0 > .seconds(2.9 * answer) }) {
      durations.append(try await like())
    }
    #expect(try #require(durations.min()) < .seconds(2.9 * answer))
    let unit = statements.all[first...]
    #expect(unit.filter { $0.contains("SAVEPOINT") } == [])
    #expect(
      unit.count { $0.hasPrefix("SELECT") && $0.contains("\"ZMESSAGE\"") } == durations.count)
    #expect(unit.count { $0 == "COMMIT" } == durations.count)
    #expect(try likes("a") == 3 + durations.count)
  }

  /// The unit has read what another writer changes before it writes.
  @Test(arguments: [false, true]) func aDisturbedUnitRunsAgain(_ catches: Bool) async throws {
    struct OwnError: Error {}
    try add("a", "b")
    let repetitions = Events<Bool>()
    let log = StatementLog { event in
      if case .repetition(let repetition) = event { repetitions.add(repetition.isExclusive) }
    }
    let writer = ModelWriter(try container(nil, log))
    let runs = Events<Int>()
    let seen = try await writer.write { context in
      let message = try message("a", in: context)
      runs.add(message.likes)
      if runs.all.count == 1 { try like("a") }
      message.likes += 1
      if catches {
        do { try context.save() } catch { throw OwnError() }
      }
      return message.likes
    }
    #expect(runs.all == [0, 1] && seen == 2)
    #expect(repetitions.all == [false])
    #expect(try likes("a") == 2 && likes("b") == 0)
  }

  /// The code of the unit catches the error after which the server refuses everything.
  @Test func aUnitThatHidesItsFailureRunsAgain() async throws {
    try add("a")
    let writer = ModelWriter(try container())
    let runs = Events<Int>()
    try await writer.write { context in
      let message = try message("a", in: context)
      runs.add(message.likes)
      if runs.all.count == 1 { try like("a") }
      message.likes += 1
      try? context.save()
    }
    #expect(runs.all == [0, 1])
    #expect(try likes("a") == 2)
  }

  @Test func anErrorOfAUnitIsThrownOnce() async throws {
    struct OwnError: Error {}
    let writer = ModelWriter(try container())
    let runs = Events<Int>()
    await #expect(throws: OwnError.self) {
      try await writer.write { context in
        runs.add(0)
        context.insert(Message("never"))
        throw OwnError()
      }
    }
    #expect(runs.all == [0])
    try await writer.write { $0.insert(Message("next")) }
    let stored = try ModelContext(container()).fetch(FetchDescriptor<Message>())
    #expect(stored.map(\.text) == ["next"])
  }

  /// All change one row, from two containers.
  @Test func increments() async throws {
    try add("a")
    let writers = [ModelWriter(try container()), ModelWriter(try container())]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          try await writers[index % 2].write { try message("a", in: $0).likes += 1 }
        }
      }
      try await group.waitForAll()
    }
    #expect(try likes("a") == 200)
    let history = try ModelContext(container())
      .fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 201)
  }

  /// With two connections units share transactions that exclude other writers. Their commit is lost, or their begin.
  @Test(arguments: [PostgresProxy.Mode.loseCommits(1), .loseMessage(after: 0)])
  func aGroupThatLosesItsConnectionRunsAgain(_ loss: PostgresProxy.Mode) async throws {
    let proxy = try PostgresProxy(to: PostgresServer.shared.socketFolder)
    let writer = ModelWriter(try container(proxy.address(like: address), connections: 2))
    try await writer.write { $0.insert(Message("a")) }
    for number in 1...3 {
      proxy.set(loss)
      try await writer.write { try message("a", in: $0).likes += 1 }
      #expect(try likes("a") == number)
    }
    proxy.set(loss)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        group.addTask { try await writer.write { try message("a", in: $0).likes += 1 } }
      }
      try await group.waitForAll()
    }
    #expect(try likes("a") == 13)
  }

  /// Each unit would wait as long for the server as the one before it.
  @Test func unitsOfAGroupFailTogetherIfTheServerStaysAway() async throws {
    let proxy = try PostgresProxy(to: PostgresServer.shared.socketFolder)
    let writer = ModelWriter(try container(proxy.address(like: address), connections: 2))
    try await writer.write { $0.insert(Message("a")) }
    let (runs, failures) = (Events<Int>(), Events<SwiftDataError.Reason?>())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask {
          do {
            try await writer.write { context in
              runs.add(number)
              let isSecond = runs.all.count == 2
              if isSecond { proxy.set(.loseMessage(after: 0)) }
              defer { if isSecond { proxy.set(.refuse) } }
              try message("a", in: context).likes += 1
            }
          } catch {
            // The server is back for those that would still wait.
            proxy.set(.forward)
            failures.add((error as? SwiftDataError)?.reason)
          }
        }
      }
    }
    #expect(failures.all.count > 1 && failures.all.allSatisfy { $0 == .unavailable })
    #expect(try likes("a") == 10 - failures.all.count)
    try await writer.write { try message("a", in: $0).likes += 1 }
    #expect(try likes("a") == 11 - failures.all.count)
  }

  /// The server ends all sessions again and again. A unit is stored once, or its error says that it is not
  /// known.
  @Test func unitsSurviveConnectionsThatTheServerEnds() async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.addressOfNewSchema()
    let container = try container(address)
    let writer = ModelWriter(container)
    try await writer.write { $0.insert(Message("a")) }
    let ends = Events<Bool>()
    Thread.detachNewThread {
      for _ in 0..<15 {
        Thread.sleep(forTimeInterval: 0.06)
        try? server.endConnections()
      }
      ends.add(true)
    }
    let (stored, unknown) = (Events<Int>(), Events<Int>())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          var number = 0
          while ends.all.isEmpty || number < 5 {
            number += 1
            let text = "\(task) \(number)"
            do {
              try await writer.write { context in
                try message("a", in: context).likes += 1
                context.insert(Message(text))
              }
              stored.add(number)
            } catch let error as SwiftDataError where error.reason == .outcomeUnknown {
              unknown.add(number)
            } catch let error as SwiftDataError where error.reason.isTransient {
              // Lost its connection too often. Nothing is stored.
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let rows = try PostgresConnection(ConnectionParameters(address))
    let likes = Int(try rows.prepare("SELECT max(\"ZLIKES\") FROM \"ZMESSAGE\"").integer() ?? 0)
    let added = Int(try rows.prepare("SELECT count(*) - 1 FROM \"ZMESSAGE\"").integer() ?? 0)
    let saves = Int(try rows.prepare("SELECT count(*) - 1 FROM \"ATRANSACTION\"").integer() ?? 0)
    #expect(likes == added && added == saves)
    #expect(stored.all.count > 20)
    #expect((stored.all.count...stored.all.count + unknown.all.count).contains(likes))
  }

  /// Each unit would keep the rule by itself: at least one message has likes.
  @Test func rulesOverSeveralRowsHold() async throws {
    let writers = [ModelWriter(try container()), ModelWriter(try container())]
    for round in 0..<20 {
      let names = ["a \(round)", "b \(round)"]
      try await writers[0].write { context in
        for name in names {
          let message = Message(name)
          message.likes = 1
          context.insert(message)
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (writer, name) in zip(writers, names) {
          group.addTask {
            try await writer.write { context in
              let both = try context.fetch(
                FetchDescriptor<Message>(predicate: #Predicate { names.contains($0.text) }))
              guard both.count(where: { $0.likes > 0 }) > 1 else { return }
              both.first { $0.text == name }?.likes = 0
            }
          }
        }
        try await group.waitForAll()
      }
      let left = try likes(names[0]) + likes(names[1])
      #expect(left == 1)
    }
  }

  /// One of the writers of a unique value wins, the others are told.
  @Test func aUniqueValueIsTakenOnce() async throws {
    let writers = try (0..<2).map { _ in
      ModelWriter(try container()) { $0.uniquenessPolicy = .refuse }
    }
    for round in 0..<10 {
      let results = await withTaskGroup(of: SwiftDataError.Reason?.self) { group in
        for index in 0..<6 {
          group.addTask {
            do {
              try await writers[index % 2].write { $0.insert(Sender("sender \(round)")) }
              return nil
            } catch {
              return (error as? SwiftDataError)?.reason ?? .other
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.count { $0 == nil } == 1)
      for case let reason? in results {
        guard case .uniqueValueTaken = reason else {
          Issue.record("\(reason)")
          continue
        }
      }
    }
    #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Sender>()) == 10)
  }

  /// Saves, batch deletions and transactions inside a unit, cascades, lists and many rows.
  @Test func unitsOfAllKinds() async throws {
    let writer = ModelWriter(try container())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<24 {
        group.addTask {
          try await writer.write { context in
            let sender = Sender("sender \(index)")
            context.insert(sender)
            try context.save()
            let topic = Topic("topic \(index)", index)
            context.insert(topic)
            sender.messages = (0..<20).map { Message("\(index) \($0)") }
            for message in sender.messages { message.topics = [topic] }
            try context.transaction { sender.messages[0].likes = index }
            let first = "\(index) 1"
            try context.delete(model: Message.self, where: #Predicate { $0.text == first })
          }
        }
      }
      try await group.waitForAll()
    }
    let context = ModelContext(try container())
    #expect(try context.fetchCount(FetchDescriptor<Message>()) == 24 * 19)
    #expect(
      try context.fetch(FetchDescriptor<Topic>()).map(\.messages.count)
        == Array(repeating: 19, count: 24))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<24 {
        group.addTask {
          try await writer.write { context in
            let name = "sender \(index)"
            for sender in try context.fetch(
              FetchDescriptor<Sender>(predicate: #Predicate { $0.name == name }))
            {
              context.delete(sender)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try context.fetchCount(FetchDescriptor<Message>()) == 0)
    let rows = try PostgresConnection(ConnectionParameters(address))
    let pairs = try rows.prepare(
      """
      SELECT count(*) FROM "ACHANGE" c WHERE NOT EXISTS \
      (SELECT 1 FROM "ATRANSACTION" t WHERE t."Z_PK" = c."ZTRANSACTIONID")
      """)
    #expect(try pairs.integer() == 0)
  }

  /// Units give up while the transaction, which ends only after them, holds its lock.
  @Test func aUnitWaitsForATransactionOfAContext() async throws {
    try add("a")
    let writer = ModelWriter(try container(), waitingAtMost: .milliseconds(300))
    let other = try container()
    let results = Events<SwiftDataError.Reason?>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      let steps = Events<String>()
      let over = DispatchSemaphore(value: 0)
      Thread {
        do {
          try ModelContext(other).transaction {
            steps.add("locked")
            _ = over.wait(timeout: .now() + 120)
          }
          steps.add("committed")
        } catch {
          steps.add("\(error)")
        }
      }.start()
      try await eventually("the transaction begins") { steps.all.count == 1 }
      #expect(steps.all == ["locked"])
      for _ in 0..<20 {
        group.addTask {
          do {
            try await writer.write { try message("a", in: $0).likes += 1 }
            results.add(nil)
          } catch {
            results.add((error as? SwiftDataError)?.reason)
          }
        }
      }
      try await group.waitForAll()
      over.signal()
      try await eventually("the lock is released") { steps.all.count == 2 }
    }
    #expect(results.all == Array(repeating: .busy, count: 20))
    try await writer.write { try message("a", in: $0).likes += 1 }
    #expect(try likes("a") == 1)
  }

  /// The limit of the wait is not that of a statement.
  @MainActor @Test func aUnitWaitsLongerThanAStatementMayRun() async throws {
    try add("a")
    let writer = ModelWriter(
      try container(statementTimeout: .seconds(1)), waitingAtMost: .seconds(60))
    let other = try PostgresConnection(ConnectionParameters(address))
    try other.execute("BEGIN; LOCK TABLE \"Z_PRIMARYKEY\" IN SHARE ROW EXCLUSIVE MODE")
    async let unit: Void = writer.write { try message("a", in: $0).likes += 1 }
    let waiting = try PostgresServer.shared.connect().prepare(
      """
      SELECT count(*) FROM pg_stat_activity \
      WHERE \(other.serverProcess) = ANY(pg_blocking_pids(pid))
      """)
    try await eventually("the unit waits") { try waiting.integer() == 1 }
    try await Task.sleep(for: .seconds(2.5))
    try other.execute("COMMIT")
    try await unit
    #expect(try likes("a") == 1)
  }
}
