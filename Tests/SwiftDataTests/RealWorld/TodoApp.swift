import Foundation
import SwiftData
import Testing

/// A to-do list whose models are named like types of the standard library.
enum TodoApp {
  enum Urgency: Int, Codable, CaseIterable, Comparable {
    case low = 1, medium, high

    static func < (lhs: Urgency, rhs: Urgency) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  @Model
  final class Task: Identifiable {
    @Attribute(.unique) var id: UUID
    var title: String
    var notes: String = ""
    var urgency: Urgency = Urgency.medium
    private(set) var completedAt: Date?
    var createdAt: Date = Date()
    var category: Category?
    @Relationship(inverse: \Tag.tasks) var tags: [Tag]

    var isCompleted: Bool { completedAt != nil }
    var summary: String { "\(title) (\(tags.map(\.name).sorted().joined(separator: ", ")))" }

    init(id: UUID = UUID(), title: String, category: Category? = nil, tags: [Tag] = []) {
      self.id = id
      self.title = title
      self.category = category
      self.tags = tags
    }

    func toggle() { completedAt = isCompleted ? nil : Date() }
  }

  @Model
  final class Category {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .nullify, inverse: \Task.category) var tasks: [Task]? = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Tag: Hashable, Comparable {
    @Attribute(.unique) var name: String
    var tasks: [Task] = []

    init(_ name: String) { self.name = name }

    static func == (lhs: Tag, rhs: Tag) -> Bool { lhs.name == rhs.name }
    static func < (lhs: Tag, rhs: Tag) -> Bool { lhs.name < rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  @MainActor
  final class ListModel {
    let context: ModelContext
    private(set) var tasks: [Task] = []

    init(container: ModelContainer) { context = container.mainContext }

    func add(_ title: String, in category: Category? = nil, tags: [Tag] = []) throws {
      context.insert(Task(title: title, category: category, tags: tags))
      try reload()
    }

    func delete(at offsets: IndexSet) throws {
      for index in offsets { context.delete(tasks[index]) }
      try reload()
    }

    func reload(search: String = "") throws {
      let filter: Predicate<Task>? =
        search.isEmpty ? nil : #Predicate { $0.title.localizedStandardContains(search) }
      tasks = try context.fetch(FetchDescriptor(predicate: filter, sortBy: [.init(\.title)]))
    }
  }
}

@Suite(.databases) struct TodoAppTests {
  private func container() throws -> ModelContainer {
    let schema = Schema([TodoApp.Task.self, TodoApp.Category.self, TodoApp.Tag.self])
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  @Test @MainActor func aListIsFilledSearchedAndEmptied() throws {
    let container = try container()
    let list = TodoApp.ListModel(container: container)
    #expect(list.context === container.mainContext)
    let home = TodoApp.Category(name: "Home")
    let (red, blue) = (TodoApp.Tag("red"), TodoApp.Tag("blue"))
    try list.add("Wash", in: home, tags: [red, blue])
    try list.add("Cook", in: home, tags: [red])
    try list.add("Work")
    try list.context.save()
    #expect(list.tasks.map(\.title) == ["Cook", "Wash", "Work"])
    #expect(list.tasks[1].summary == "Wash (blue, red)")
    #expect(home.tasks?.count == 2)
    #expect(Set(red.tasks.map(\.title)) == ["Cook", "Wash"])
    try list.reload(search: "wO")
    #expect(list.tasks.map(\.title) == ["Work"])
    list.tasks[0].toggle()
    #expect(list.tasks[0].isCompleted)
    try list.reload()
    try list.delete(at: [0, 1])
    try list.context.save()
    #expect(home.tasks?.isEmpty == true)
    let rest = try ModelContext(container).fetch(FetchDescriptor<TodoApp.Task>())
    #expect(rest.map(\.title) == ["Work"])
    #expect(rest.first?.isCompleted == true)
  }

  @Test func ownIdentifiersAndEnumsCanBeSearched() throws {
    let context = ModelContext(try container())
    let wanted = UUID()
    context.insert(TodoApp.Task(id: wanted, title: "a"))
    let other = TodoApp.Task(title: "b")
    other.urgency = .high
    context.insert(other)
    try context.save()
    let byID = FetchDescriptor<TodoApp.Task>(predicate: #Predicate { $0.id == wanted })
    #expect(try context.fetch(byID).map(\.title) == ["a"])
    let high = TodoApp.Urgency.high
    let urgent = FetchDescriptor<TodoApp.Task>(predicate: #Predicate { $0.urgency == high })
    #expect(try context.fetch(urgent).map(\.title) == ["b"])
    context.insert(TodoApp.Task(id: wanted, title: "again"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<TodoApp.Task>()) == 2)
  }

  @Test func modelsWithTheirOwnEqualityWorkInSets() throws {
    let context = ModelContext(try container())
    let tags = ["x", "y"].map { TodoApp.Tag($0) }
    for tag in tags { context.insert(tag) }
    let set: Swift.Set<TodoApp.Tag> = [tags[0], tags[1], TodoApp.Tag("x")]
    #expect(set.count == 2)
    #expect(tags.max() == TodoApp.Tag("y"))
  }
}
