import Foundation
import SwiftData
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
}
