import Foundation
import SwiftData
import Testing

/// A file that Apple's SwiftData made, given to a later version of its models.
@Suite struct SchedulerFileMigrationTests {
  /// The tasks have a new property, one under another name and one less, and there is a model more.
  enum Later {
    @Model final class Task {
      #Index<Task>([\.id], [\.effectiveFrom], [\.effectiveFrom, \.nextVersion])
      #Unique<Task>([\.id, \.nextVersion])

      var id: String
      @Attribute(originalName: "title") var heading: Scheduler.Text
      var instructions: Scheduler.Text
      var effectiveFrom: Date
      var schedule: Scheduler.Schedule
      var completionPolicy: Scheduler.CompletionPolicy
      var scheduleNotifications: Bool
      var notificationThread: Scheduler.NotificationThread
      var notificationTime: Scheduler.NotificationTime?
      var tags: [String]
      var priority: Int = 3
      @Relationship(deleteRule: .cascade, inverse: \Outcome.task) var outcomes: [Outcome]
      @Relationship(.unique, deleteRule: .cascade, inverse: \Task.previousVersion)
      var nextVersion: Task?
      var previousVersion: Task?
      @Relationship(deleteRule: .cascade, inverse: \Alarm.task) var alarms: [Alarm] = []
      var userInfo: Scheduler.Storage

      init(like other: Task) {
        (id, heading, instructions) = ("new", other.heading, other.instructions)
        (effectiveFrom, schedule) = (other.effectiveFrom, other.schedule)
        (completionPolicy, scheduleNotifications) = (other.completionPolicy, false)
        (notificationThread, tags, outcomes) = (.none, [], [])
        userInfo = other.userInfo
      }
    }

    @Model final class Outcome {
      #Index<Outcome>([\.id], [\.occurrenceStartDate])

      @Attribute(.unique) var id: UUID
      var completionDate: Date
      var occurrenceStartDate: Date
      var task: Task
      var userInfo: Scheduler.Storage = Scheduler.Storage()

      init(of task: Task) {
        id = UUID()
        (completionDate, occurrenceStartDate, self.task) = (.now, .now, task)
      }
    }

    @Model final class Alarm {
      var time: Date
      var task: Task?

      init(time: Date) { self.time = time }
    }

    static let models: [any PersistentModel.Type] = [Task.self, Outcome.self, Alarm.self]
  }

  private enum Version1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Scheduler.Task.self, Scheduler.Outcome.self] }
  }

  private enum Version2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { Later.models }
  }

  private enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Version1.self, Version2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: Version1.self, toVersion: Version2.self, willMigrate: nil,
        didMigrate: { context in
          for task in try context.fetch(FetchDescriptor<Later.Task>()) where task.id == "task1" {
            task.alarms = [Later.Alarm(time: Date(timeIntervalSinceReferenceDate: 7))]
          }
          try context.save()
        })
    ]
  }

  private let file: RealFile

  init() throws { file = try RealFile("spezi-scheduler") }

  /// Columns of the tasks that go on, under the names that they have before and afterwards.
  private static let columns = [
    ("ZID", "ZID"), ("ZKEY1", "ZKEY"), ("ZKEY", "ZKEY1"), ("ZARGUMENTS1", "ZARGUMENTS"),
    ("ZARGUMENTS", "ZARGUMENTS1"), ("ZEFFECTIVEFROM", "ZEFFECTIVEFROM"),
    ("ZSTARTDATE", "ZSTARTDATE"), ("ZRECURRENCERULE", "ZRECURRENCERULE"),
    ("ZNEXTVERSION", "ZNEXTVERSION"), ("ZPREVIOUSVERSION", "ZPREVIOUSVERSION"),
    ("ZTAGS", "ZTAGS"), ("ZUSERINFO", "ZUSERINFO"),
    (
      "ZSCHEDULENOTIFICATIONS",
      "ZSCHEDULENOTIFICATIONS"
    ),
    ("ZANYTIME", "ZANYTIME"), ("ZSAMEDAY", "ZSAMEDAY"), ("ZALLDAY", "ZALLDAY"),
    ("ZTILLENDOFDAY", "ZTILLENDOFDAY"), ("ZHOUR", "ZHOUR"), ("ZHOUR1", "ZHOUR1"),
  ]

  private func values(_ columns: [String]) throws -> [String?] {
    let present = Set(
      try SQLiteFile.texts("SELECT name FROM pragma_table_info('ZTASK')", in: file.url))
    return try columns.filter(present.contains).flatMap { column in
      try file.column("SELECT quote(\(column)) FROM ZTASK ORDER BY Z_PK")
    }
  }

  @Test(arguments: [false, true], RelationshipMigrationTests.sizes)
  func itsRowsGoOn(_ hasPlan: Bool, _ size: Int64) throws {
    try SQLiteFile.execute(
      """
      CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCLOUDKITEVENTTYPE INTEGER);
      INSERT INTO ANSCKEVENT VALUES (1, 17001, 1, 5);
      CREATE TABLE mine (text); INSERT INTO mine VALUES ('kept')
      """, in: file.url)
    let before = try values(Self.columns.map(\.0))
    let versions = try file.column("SELECT Z_OPT + 1 FROM ZTASK ORDER BY Z_PK")
    let changes = try file.column("SELECT Z_PK || ZENTITY || ZENTITYPK FROM ACHANGE")
    try #require(before.count > 60)
    try SchemaChange.$smallTable.withValue(size) {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Version2.self), migrationPlan: hasPlan ? Plan.self : nil,
          configurations: ModelConfiguration(url: file.url)))
      let tasks = try context.fetch(FetchDescriptor<Later.Task>())
      #expect(tasks.count == 5 && tasks.allSatisfy { $0.priority == 3 })
      #expect(tasks.contains { $0.previousVersion?.nextVersion === $0 })
      #expect(
        try Set(context.fetch(FetchDescriptor<Later.Alarm>()).map(\.task?.id))
          == (hasPlan ? ["task1"] : []))
    }
    let after = try values(Self.columns.map(\.1))
    if !hasPlan {
      #expect(after == before)
      // Each task got a priority.
      #expect(try file.column("SELECT Z_OPT FROM ZTASK ORDER BY Z_PK") == versions)
      let told = """
        SELECT ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
        AND ZCHANGETYPE = 1 AND ZENTITY = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task') ORDER BY 1
        """
      #expect(try file.column(told) == file.column("SELECT Z_PK FROM ZTASK ORDER BY Z_PK"))
    }
    #expect(after.count == before.count)
    #expect(try file.column("SELECT ZCLOUDKITEVENTTYPE FROM ANSCKEVENT") == ["5"])
    #expect(try file.column("SELECT text FROM mine") == ["kept"])
    #expect(
      try file.column("SELECT Z_PK || ZENTITYPK FROM ACHANGE LIMIT \(changes.count)").count
        == changes.count)
    try SQLiteFile.execute("DROP TABLE mine; DROP TABLE ANSCKEVENT", in: file.url)
    if size > 0 {
      let (status, text) = try StoreJudge.judge([file.url])
      #expect(status == 0, "\(text)")
    }
  }

  @Test func itGoesOnAfterwards() throws {
    let context = ModelContext(try container(Later.models))
    let first = try #require(try context.fetch(FetchDescriptor<Later.Task>()).first)
    let new = Later.Task(like: first)
    new.alarms = [Later.Alarm(time: .now)]
    new.outcomes = [Later.Outcome(of: new)]
    context.insert(new)
    try context.save()
    #expect(try file.column("SELECT max(Z_PK) FROM ZTASK") == ["6"])
    let (status, text) = try StoreJudge.judge([file.url])
    #expect(status == 0, "\(text)")
  }

  private func container(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: file.url))
  }
}
