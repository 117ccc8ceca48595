import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// Cases of enums whose values are all optional: the format has no column that marks them.
@Suite(.databases) struct EmptyCaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: ReminderPlan.self, configurations: ModelConfiguration(url: folder.store)))
  }

  @Test(.sqliteOnly("reads the file")) func suchACaseHasNoColumn() throws {
    _ = try context()
    let columns =
      try SQLiteFile.text(
        "SELECT group_concat(name) FROM pragma_table_info('ZREMINDERPLAN')", in: folder.store
      )?.split(separator: ",").map(String.init) ?? []
    #expect(!columns.contains("ZDAILY") && !columns.contains("ZWEEKLY"))
    #expect(columns.contains("ZNEVER") && columns.contains("ZNAME"))
  }

  @Test func aRequiredValueWithoutColumnsIsInTheOnlySuchCase() throws {
    let rules: [ReminderPlan.Rule] = [
      .daily(hour: nil, minute: nil), .daily(hour: 1, minute: nil), .daily(hour: nil, minute: 2),
      .weekly(day: 3, hour: nil), .never,
    ]
    let context = try context()
    for (number, rule) in rules.enumerated() {
      let plan = ReminderPlan(name: "\(number)", rule: rule)
      plan.inner.rule = rule
      context.insert(plan)
    }
    try context.save()
    let found = try self.context().fetch(
      FetchDescriptor<ReminderPlan>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.rule) == rules && found.map(\.inner.rule) == rules)
    #expect(found.allSatisfy { $0.other == nil && $0.inner.other == nil })
    for rule in rules {
      let equal = FetchDescriptor<ReminderPlan>(predicate: #Predicate { $0.rule == rule })
      #expect(try self.context().fetch(equal).map(\.rule) == [rule])
      let different = FetchDescriptor<ReminderPlan>(predicate: #Predicate { $0.rule != rule })
      #expect(try self.context().fetchCount(different) == rules.count - 1)
      // In the store these are nil.
      let optional = FetchDescriptor<ReminderPlan>(predicate: #Predicate { $0.other == rule })
      #expect(try self.context().fetchCount(optional) == 0)
    }
    let absent = FetchDescriptor<ReminderPlan>(predicate: #Predicate { $0.other == nil })
    #expect(try self.context().fetchCount(absent) == rules.count)
    let same = FetchDescriptor<ReminderPlan>(predicate: #Predicate { $0.other == $0.rule })
    #expect(try self.context().fetchCount(same) == 0)
  }

  @Test func anOptionalValueInSuchACaseIsRefused() throws {
    let context = try context()
    let plan = ReminderPlan(name: "a", rule: .never)
    context.insert(plan)
    plan.other = .daily(hour: nil, minute: nil)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.entity == "ReminderPlan" && error?.property == "other")
    #expect(error?.description.contains("'daily'") == true)
    plan.other = .daily(hour: 0, minute: nil)
    plan.inner.other = .daily(hour: nil, minute: nil)
    #expect(throws: SwiftDataError.self) { try context.save() }
    plan.inner.other = nil
    try context.save()
    let found = try #require(try self.context().fetch(FetchDescriptor<ReminderPlan>()).first)
    #expect(found.other == .daily(hour: 0, minute: nil) && found.inner.other == nil)
  }

  @Test func oneOfSeveralSuchCasesIsRefused() throws {
    let context = ModelContext(
      try ModelContainer(
        for: AmbiguousReminder.self, configurations: ModelConfiguration(url: folder.store)))
    let plan = AmbiguousReminder(rule: .monthly(AmbiguousReminder.Rest(day: nil)))
    context.insert(plan)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains("'monthly'") == true)
    plan.rule = .monthly(AmbiguousReminder.Rest(day: 4))
    try context.save()
    plan.rule = .daily(hour: nil)
    #expect(throws: SwiftDataError.self) { try context.save() }
    plan.rule = .never
    try context.save()
  }

  /// Otherwise the case would be lost: nothing of its value is in a column.
  @Test(arguments: [true, false])
  func aCaseWhoseValueEncodesNoMemberIsRefused(inDefaultStore: Bool) throws {
    let container =
      inDefaultStore
      ? try ModelContainer(
        for: ChimeClock.self, configurations: ModelConfiguration(url: folder.store))
      : try ModelContainer(for: ChimeClock.self, configurations: DictionaryStoreConfiguration())
    let context = ModelContext(container)
    let clock = ChimeClock()
    context.insert(clock)
    let silent = ChimeClock.Alarm.chime(ChimeClock.Chime())
    func expectRefusal(of property: String) {
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .modelValidationFailure && error?.property == property)
      #expect(error?.description.contains("'chime'") == true)
    }
    clock.alarm = silent
    expectRefusal(of: "alarm")
    let unsaved = FetchDescriptor<ChimeClock>(predicate: #Predicate { $0.alarm == silent })
    #expect(try context.fetchCount(unsaved) == 1)
    clock.alarm = .bell(1)
    clock.other = silent
    expectRefusal(of: "other")
    clock.other = nil
    clock.inner = ChimeClock.Inner(alarm: silent)
    expectRefusal(of: "inner")
    clock.inner = ChimeClock.Inner(alarm: .chime(ChimeClock.Chime(volume: 3)), other: silent)
    expectRefusal(of: "inner")
    clock.inner = ChimeClock.Inner(alarm: .chime(ChimeClock.Chime(volume: 3)))
    (clock.alarms, clock.whole) = ([silent], silent)
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<ChimeClock>()).first)
    #expect(found.alarm == .bell(1) && found.other == nil && found.inner == clock.inner)
    #expect(found.alarms == [silent] && found.whole == silent)
    #expect(try ModelContext(container).fetchCount(unsaved) == 0)
  }
}

@Model final class ChimeClock {
  var alarm: Alarm = Alarm.off
  var other: Alarm?
  var inner: Inner?
  var alarms: [Alarm] = []
  @Attribute(.codable) var whole: Alarm = Alarm.off

  init() {}

  enum Alarm: Codable, Equatable { case off, bell(Int), chime(Chime) }

  struct Inner: Codable, Equatable {
    var alarm: Alarm
    var other: Alarm?
  }

  /// Leaves out its default when it encodes itself.
  struct Chime: Codable, Equatable {
    var volume = 5

    init(volume: Int = 5) { self.volume = volume }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      volume = try values.decodeIfPresent(Int.self, forKey: .volume) ?? 5
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      if volume != 5 { try values.encode(volume, forKey: .volume) }
    }

    enum CodingKeys: String, CodingKey { case volume }
  }
}
