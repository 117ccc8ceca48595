import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// A file that Apple's SwiftData made, partly in its write-ahead log.
@Suite struct SchedulerFileTests {
  private typealias Task = Scheduler.Task
  private typealias Outcome = Scheduler.Outcome

  private let file: RealFile

  init() throws { file = try RealFile("spezi-scheduler") }

  private func context(allowsSave: Bool = true) throws -> ModelContext {
    ModelContext(try file.container(Task.self, Outcome.self, allowsSave: allowsSave))
  }

  private func tasks(_ context: ModelContext) throws -> [Task] {
    try context.fetch(FetchDescriptor<Task>()).sorted {
      $0.persistentModelID < $1.persistentModelID
    }
  }

  @Test func everyValueIsWhatTheColumnsHold() throws {
    let tasks = try tasks(try context())
    func column(_ name: String) throws -> [String?] {
      try file.column("SELECT \(name) FROM ZTASK ORDER BY Z_PK")
    }
    #expect(tasks.count == 5)
    #expect(try tasks.map(\.id) == column("ZID"))
    #expect(try tasks.map(\.instructions.key) == column("ZKEY"))
    #expect(try tasks.map(\.title.key) == column("ZKEY1"))
    #expect(
      try tasks.map(\.title.arguments.count)
        == column("json_array_length(ZARGUMENTS1)").map { Int($0 ?? "") })
    #expect(try tasks.map(\.categoryValue) == column("ZCATEGORYVALUE"))
    #expect(
      try tasks.map(\.effectiveFrom.timeIntervalSinceReferenceDate)
        == file.numbers("SELECT ZEFFECTIVEFROM FROM ZTASK ORDER BY Z_PK"))
    #expect(
      try tasks.map(\.schedule.startDate.timeIntervalSinceReferenceDate)
        == file.numbers("SELECT ZSTARTDATE FROM ZTASK ORDER BY Z_PK"))
    #expect(
      try tasks.map { $0.schedule.recurrenceRule?.count.description }
        == column("length(ZRECURRENCERULE)"))
    #expect(
      try tasks.map { "\($0.completionPolicy)" }
        == column("coalesce(ZSAMEDAY, ZAFTERSTART, ZSAMEDAYAFTERSTART, ZDURINGEVENT, ZANYTIME)"))
    #expect(
      try tasks.map { "\($0.notificationThread)" } == column("coalesce(ZGLOBAL, ZTASK, ZNONE)"))
    #expect(
      try tasks.map { "\($0.schedule.scheduleDuration)" }
        == column("coalesce(ZALLDAY, ZTILLENDOFDAY)"))
    #expect(
      try tasks.map { $0.previousVersion?.persistentModelID.rowKey.map(String.init) ?? nil }
        == column("ZPREVIOUSVERSION"))
    #expect(
      try tasks.map { $0.nextVersion?.persistentModelID.rowKey.map(String.init) ?? nil }
        == column("ZNEXTVERSION"))
    let hours = try column("ZHOUR1")
    for (task, hour) in zip(tasks, hours) {
      guard
        case .components(_, _, let found, _, _, let weekday) = task.schedule
          .notificationMatchingHint
      else {
        #expect(hour == nil)
        continue
      }
      #expect(found.map(String.init) == hour && weekday == nil)
    }
    #expect(
      tasks.allSatisfy { $0.tags.isEmpty && $0.outcomes.isEmpty && $0.notificationTime == nil })
    #expect(tasks.allSatisfy { $0.userInfo.userInfo.isEmpty && !$0.scheduleNotifications })
    #expect(tasks.contains { $0.previousVersion?.nextVersion === $0 })
  }

  @Test func predicatesAnswerInItsColumns() throws {
    let context = try context()
    let found = try context.fetch(
      FetchDescriptor<Task>(
        predicate: #Predicate { $0.nextVersion == nil && $0.id == "task1" && $0.tags.isEmpty }))
    #expect(found.map(\.id) == ["task1"])
    let named = try context.fetchCount(
      FetchDescriptor<Task>(predicate: #Predicate { $0.title.key.contains("Title") }))
    #expect(
      try named
        == file.column("SELECT count(*) FROM ZTASK WHERE ZKEY1 LIKE '%Title%'").compactMap {
          $0.flatMap(Int.init)
        }.first)
  }

  @Test func editsComeBackAndLeaveTheModelOfTheFile() throws {
    let before = try RealFile.definitions(file.url)
    let cache = try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: file.url)
    let plist = try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: file.url)
    do {
      let context = try context()
      let first = try #require(try tasks(context).first)
      first.tags = ["a", "b"]
      first.schedule.scheduleDuration = .duration(.seconds(90))
      let new = Task(id: "mine", like: first)
      context.insert(new)
      context.insert(Outcome(of: new, on: Date(timeIntervalSinceReferenceDate: 5)))
      try context.save()
    }
    let context = try context()
    let all = try tasks(context)
    #expect(all.count == 6 && all[0].tags == ["a", "b"])
    #expect(all[0].schedule.scheduleDuration == .duration(.seconds(90)))
    let new = try #require(all.last)
    #expect(new.notificationThread == .custom("mine") && new.outcomes.count == 1)
    #expect(
      new.schedule
        == Scheduler.Schedule(
          startDate: all[0].schedule.startDate, scheduleDuration: .duration(.seconds(90)),
          recurrenceRule: all[0].schedule.recurrenceRule,
          notificationMatchingHint: all[0].schedule.notificationMatchingHint))
    #expect(
      try file.column("SELECT Z_OPT || ' ' || Z_ENT FROM ZTASK ORDER BY Z_PK")
        == ["2 2", "1 2", "1 2", "1 2", "1 2", "1 2"])
    #expect(try file.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 3") == ["1", "6"])
    // The history goes on where the file's ends: the second transaction, the changes behind the fifth one.
    #expect(
      try file.column(
        """
        SELECT c.Z_PK || ' ' || ZCHANGETYPE || ' ' || ZENTITY || ' ' || ZENTITYPK || ' ' || ifnull(hex(ZCOLUMNS), '-')
        FROM ACHANGE AS c WHERE ZTRANSACTIONID = 2 ORDER BY ZENTITY, ZCHANGETYPE, ZENTITYPK
        """
      ).map { $0?.split(separator: " ").dropFirst().prefix(3).joined(separator: " ") }
        == ["0 1 1", "0 2 6", "1 2 1"])
    let strings = try #require(try file.column("SELECT max(Z_PK) FROM ATRANSACTIONSTRING")[0])
    #expect(
      try file.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT")
        == ["8", "2", strings])
    #expect(try file.column("SELECT max(Z_PK) FROM ACHANGE") == ["8"])
    #expect(try RealFile.definitions(file.url) == before)
    #expect(try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: file.url) == cache)
    #expect(try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: file.url) == plist)
  }

  @Test func aNewFileOfItsModelsIsLikeIt() throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(
      for: Task.self, Outcome.self, configurations: ModelConfiguration(url: folder.store))
    #expect(try RealFile.definitions(folder.store) == RealFile.definitions(file.url))
    let (made, real) = (try RealFile.metadata(folder.store), try RealFile.metadata(file.url))
    // Some keys are ours.
    let own: Set = [
      "OpenSwiftDataExternalAttributes", "OpenSwiftDataIntegerTypes", "OpenSwiftDataCompositeForms",
      "OpenSwiftDataListTypes",
    ]
    #expect(Set(made.keys).subtracting(own) == Set(real.keys))
    for (key, value) in real {
      #expect(made[key] as? NSObject == value as? NSObject, "\(key)")
    }
    for pragma in ["page_size", "auto_vacuum", "user_version", "application_id"] {
      #expect(
        try SQLiteFile.integer("PRAGMA \(pragma)", in: folder.store)
          == SQLiteFile.integer("PRAGMA \(pragma)", in: file.url))
    }
    #expect(
      try SQLiteFile.texts("SELECT Z_ENT || Z_NAME || Z_SUPER FROM Z_PRIMARYKEY", in: folder.store)
        == SQLiteFile.texts("SELECT Z_ENT || Z_NAME || Z_SUPER FROM Z_PRIMARYKEY", in: file.url))
  }

  /// All that the file tells of its model, but for a default that is a struct.
  @Test func theModelOfTheFileFollowsFromTheClasses() throws {
    let cache = try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: file.url)
    let stored = try ModelCache.decode(cache)
    let schema = Schema([Task.self, Outcome.self])
    let made = ModelDescription(schema, descriptors: schema.descriptors)
    func withoutDefaults(_ model: ModelDescription) -> [EntityDescription] {
      model.entities.map { entity in
        EntityDescription(
          name: entity.name, className: entity.className, superName: entity.superName,
          properties: entity.properties.map { property in
            guard case .attribute(var attribute) = property else { return property }
            attribute.defaultValue = nil
            return .attribute(attribute)
          }, uniqueConstraints: entity.uniqueConstraints, indexes: entity.indexes,
          renamingIdentifier: entity.renamingIdentifier)
      }
    }
    for (own, real) in zip(withoutDefaults(made), withoutDefaults(stored)) {
      for (left, right) in zip(own.properties, real.properties) { #expect(left == right) }
      #expect(own == real)
    }
    #expect(made.versionIdentifiers == stored.versionIdentifiers)
  }
}
