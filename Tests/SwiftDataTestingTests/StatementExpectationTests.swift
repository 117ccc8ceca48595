import SwiftData
import SwiftDataTesting
import Testing

@Suite struct StatementExpectationTests {
  @Test(arguments: TemporaryContainer.Storage.both)
  func theExactNumberPasses(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()

    let counts = try expectStatements(2, in: temporary) {
      var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
      descriptor.relationshipKeyPathsForPrefetching = [\.stops]
      return try context.fetch(descriptor).map(\.stops.count)
    }

    #expect(counts == [1, 0, 2, 1])
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func theFailureListsTheStatements(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()

    let line = #line + 2
    let failure = failure {
      try expectStatements(2, in: temporary) {
        for trip in try context.fetch(FetchDescriptor<Trip>()) { _ = trip.stops.count }
      }
    }
    let text = try #require(failure?.description)

    #expect(
      text.hasPrefix(
        "SwiftDataTestingTests/StatementExpectationTests.swift:\(line):27: "
          + "expected exactly 2 statements, but 5 ran:\n  1. SELECT"), "\(text)")
    #expect(text.contains("  -- 4 rows\n  2. SELECT"), "\(text)")
    #expect(failure?.details.count == 5)
    #expect(failure?.filePath.hasSuffix("/StatementExpectationTests.swift") == true)
    #expect(failure?.localizedDescription == text)
  }

  @Test func aBodyWithoutStatementsIsReported() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectStatements(1, of: .reads, in: temporary) {}
    }
    #expect(
      failure?.description.hasSuffix("expected exactly 1 reading statement, but none ran.") == true)
  }

  @Test func aLimitAllowsFewerStatements() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()

    #expect(
      try expectStatements(atMost: 2, in: temporary) {
        try context.fetchCount(FetchDescriptor<Trip>())
      } == 4)
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectStatements(atMost: 1, in: temporary) {
        _ = try context.fetchCount(FetchDescriptor<Trip>())
        _ = try context.fetchCount(FetchDescriptor<Stop>())
      }
    }
    #expect(failure?.expected == "at most 1 statement")
    #expect(failure?.outcome == "2 ran")
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func savesCountAsWritesWithoutTheirBookkeeping(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: storage)
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))
    context.insert(Trip(name: "Porto"))

    try expectStatements(2, of: .writes, in: temporary) { try context.save() }
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectStatements(0, of: .all, in: temporary) {
        context.insert(Trip(name: "Faro"))
        try context.save()
      }
    }
    let details = try #require(failure?.details)
    #expect(details.first?.hasPrefix("1. BEGIN") == true, "\(details)")
    #expect(details.last?.hasSuffix("COMMIT") == true, "\(details)")
    #expect(details.contains { $0.contains("ACHANGE") }, "\(details)")
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func eachRequestIsOneReadingStatement(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    let context = temporary.makeContext()
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.stops.contains { $0.place != "" } },
      sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    let requests: [(String, () throws -> Void)] = [
      ("fetch", { _ = try context.fetch(descriptor) }),
      ("count", { _ = try context.fetchCount(descriptor) }),
      ("identifiers", { _ = try context.fetchIdentifiers(descriptor) }),
      ("whole count", { _ = try context.fetchCount(FetchDescriptor<Stop>()) }),
    ]
    for (name, request) in requests {
      let statements = try temporary.statements(of: .all) { try request() }
      let others = statements.filter { $0.kind != .transactions }
      #expect(others.map(\.kind) == [.reads], "\(name): \(statements)")
    }
  }

  /// After each commit, a fetch in the order of a text checks first whether its index has that order.
  @Test(arguments: TemporaryContainer.Storage.both)
  func theCheckOfTextsIsNoRead(_ storage: TemporaryContainer.Storage) throws {
    let temporary = try TemporaryContainer(for: Ticket.self, storage: storage)
    let context = temporary.makeContext()
    for code in ["b", "a"] {
      context.insert(Ticket(code: code))
      try context.save()
      let checks = try temporary.statements(of: .bookkeeping) {
        let found = FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.code)])
        try expectStatements(1, in: temporary) { _ = try context.fetch(found) }
      }
      #expect(checks.count { $0.sql.contains("swift_canonical(") } == 1, "\(checks)")
    }
    // A predicate that compares text as the check does reads rows.
    let name = "e\u{301}"
    try expectStatements(1, of: .reads, in: temporary) {
      _ = try context.fetchCount(FetchDescriptor<Ticket>(predicate: #Predicate { $0.code < name }))
    }
  }

  @Test func deletionsOfManyRowsAreWrites() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()
    let statements = try temporary.statements(of: .writes) { try context.delete(model: Stop.self) }
    #expect(
      statements.map(\.sql).contains { $0.hasPrefix("DELETE FROM \"ZSTOP\"") }, "\(statements)")
    #expect(!statements.contains { $0.sql.contains("Z_PRIMARYKEY") }, "\(statements)")
  }

  @Test func asynchronousStatementsAreReturned() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let reader = Reader(modelContainer: temporary.container)
    let statements = try await temporary.statements { try await reader.count() }
    #expect(statements.map(\.rowCount) == [1])
    #expect(statements.first?.sql.hasPrefix("SELECT count") == true, "\(statements)")
  }

  @Test func theErrorOfTheBodyIsPassedOn() throws {
    struct Stopped: Error {}
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    #expect(throws: Stopped.self) {
      try expectStatements(5, in: temporary) { throw Stopped() }
    }
  }

  @Test func asynchronousBodiesAreCounted() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let reader = Reader(modelContainer: temporary.container)

    let count = try await expectStatements(1, in: temporary) { try await reader.count() }
    #expect(count == 4)

    let failure = await #expect(throws: ExpectationFailure.self) {
      try await expectStatements(atMost: 0, in: temporary) { try await reader.count() }
    }
    #expect(failure?.outcome == "1 ran")
  }

  @Test func aBodyWithoutSuspensionIsCountedInAnAsynchronousTest() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    await Task.yield()
    let context = temporary.makeContext()
    let count = try expectStatements(1, in: temporary) {
      try context.fetchCount(FetchDescriptor<Trip>())
    }
    #expect(count == 4)
  }

  @MainActor @Test func bodiesRunOnTheActorOfTheTest() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.container.mainContext
    try await expectStatements(1, of: .writes, in: temporary) {
      MainActor.assertIsolated()
      context.insert(Trip(name: "Faro"))
      try await temporary.container.settle()
    }
  }

  @Test func onlyTheStatementsOfTheContainerCount() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let other = try temporary.openAnotherContainer()
    let stranger = try TemporaryContainer(for: Trip.self, Stop.self)

    try expectStatements(0, in: temporary) {
      try expectStatements(1, in: other) {
        try expectStatements(2, in: stranger) {
          _ = try ModelContext(other).fetchCount(FetchDescriptor<Trip>())
          _ = try stranger.makeContext().fetchCount(FetchDescriptor<Trip>())
          _ = try stranger.makeContext().fetchCount(FetchDescriptor<Stop>())
        }
      }
    }
  }

  @Test func parallelTestsDoNotDisturbEachOther() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...8 {
        group.addTask {
          let temporary = try TemporaryContainer(
            for: Trip.self, Stop.self, storage: number.isMultiple(of: 2) ? .file : .memory)
          for _ in 0..<20 {
            try expectStatements(number, in: temporary) {
              let context = temporary.makeContext()
              for _ in 0..<number { _ = try context.fetchCount(FetchDescriptor<Trip>()) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func ownContainersAreRecordedByConfiguration() throws {
    let recorder = StatementRecorder()
    let container = try ModelContainer(
      for: Trip.self, Stop.self,
      configurations: recorder.recording(ModelConfiguration(isStoredInMemoryOnly: true)))
    try expectStatements(1, in: container) {
      try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
    }
  }

  @Test func aLogOfTheConfigurationStillReceivesEvents() throws {
    let count = Counter()
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = StatementLog { _ in count.add() }
    let container = try ModelContainer(
      for: Trip.self, Stop.self, configurations: StatementRecorder().recording(configuration))
    let before = count.value
    try expectStatements(1, in: container) {
      try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
    }
    #expect(count.value > before)
  }

  @Test func aContainerThatIsNotRecordedIsReported() throws {
    let container = try ModelContainer(
      for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectStatements(1, in: container) {}
    }
    #expect(failure?.outcome.hasPrefix("the container is not recorded") == true)
  }

  @Test func workInMemoryIsReported() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()
    try expectNoWorkInMemory(in: temporary) {
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Faro" }))
    }
    let failure = #expect(throws: ExpectationFailure.self) {
      try expectNoWorkInMemory(in: temporary) {
        try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.length)]))
      }
    }
    #expect(failure?.details == ["Trip: the order"])
    #expect(failure?.outcome == "a part was evaluated in memory")
  }
}

@ModelActor
private actor Reader {
  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}
