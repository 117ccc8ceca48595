import Foundation
import SwiftData
import Synchronization
import Testing

/// Members of several classes in a store that answers with the rows of the very class it is asked for.
@Suite struct SubclassMembersTests {
  @Model final class Window {
    var title: String
    @Relationship(inverse: \Component.window) var children: [Component] = []
    var focus: Component?

    init(_ title: String) { self.title = title }
  }

  @Model class Component {
    var name: String
    var window: Window?

    init(_ name: String) { self.name = name }
  }

  @Model class Control: Component {
    var isEnabled = true

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Button: Control {
    var action = "none"

    override init(_ name: String) { super.init(name) }
  }

  private typealias Behaviour = MemoryStoreBehaviour<DefaultSnapshot>

  private static func container(_ behaviour: Behaviour) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Window.self, Component.self, Control.self, Button.self]),
      configurations: [MemoryStore<DefaultSnapshot>.Configuration(behaviour: behaviour)])
  }

  private static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let window = Window("main")
    context.insert(window)
    window.children = [Component("plain"), Control("control"), Button("button")]
    window.focus = window.children[2]
    try context.save()
  }

  @Test(arguments: [false, true])
  func membersOfEachClassAreRead(answersByClass: Bool) throws {
    let behaviour = Behaviour(answersByClass: answersByClass)
    let container = try Self.container(behaviour)
    try Self.fill(container)
    let lines = Mutex<[String]>([])
    try WarningLog.$receiver.withValue({ line in lines.withLock { $0.append(line) } }) {
      let window = try #require(ModelContext(container).fetch(FetchDescriptor<Window>()).first)
      #expect(Set(window.children.map(\.name)) == ["plain", "control", "button"])
      #expect(window.children.count { $0 is Button } == 1)
      #expect((window.focus as? Button)?.action == "none")
    }
    #expect(lines.withLock { $0 } == [])
    let requested = Set(behaviour.requested.withLock { $0 })
    #expect(requested.isSuperset(of: ["Window", "Component", "Control", "Button"]))
  }

  @Test(arguments: [false, true])
  func aFetchOfTheSuperclassGivesModelsOfSubclasses(answersByClass: Bool) throws {
    let behaviour = Behaviour(answersByClass: answersByClass)
    let container = try Self.container(behaviour)
    try Self.fill(container)
    let reader = ModelContext(container)
    let all = try reader.fetch(FetchDescriptor<Component>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["button", "control", "plain"])
    #expect(all.first is Button)
    #expect(try reader.fetchCount(FetchDescriptor<Component>()) == 3)
    #expect(Set(try reader.fetchIdentifiers(FetchDescriptor<Component>())).count == 3)
    #expect(try reader.fetchCount(FetchDescriptor<Control>()) == 2)
    var sliced = FetchDescriptor<Component>(
      predicate: #Predicate { $0.name != "button" },
      sortBy: [SortDescriptor(\.name, order: .reverse)])
    sliced.fetchLimit = 1
    sliced.fetchOffset = 1
    #expect(try reader.fetch(sliced).map(\.name) == ["control"])
    var names: [String] = []
    try reader.enumerate(FetchDescriptor<Control>(sortBy: [SortDescriptor(\.name)])) {
      names.append($0.name)
    }
    #expect(names == ["button", "control"])
  }

  /// Whether a store includes subclasses is found out once.
  @Test func aStoreThatIncludesSubclassesIsAskedOnceForEachFetch() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    try Self.fill(container)
    let reader = ModelContext(container)
    _ = try reader.fetch(FetchDescriptor<Component>())
    let before = behaviour.count("fetch")
    _ = try reader.fetch(FetchDescriptor<Component>())
    #expect(behaviour.count("fetch") == before + 1)
  }

  @Test func subclassesThatGetTheirFirstRowLaterAreFound() throws {
    let container = try Self.container(Behaviour(answersByClass: true))
    let writer = ModelContext(container)
    writer.insert(Component("plain"))
    try writer.save()
    let reader = ModelContext(container)
    #expect(try reader.fetchCount(FetchDescriptor<Component>()) == 1)
    writer.insert(Button("button"))
    try writer.save()
    #expect(try reader.fetchCount(FetchDescriptor<Component>()) == 2)
    #expect(try reader.fetch(FetchDescriptor<Component>()).count == 2)
  }

  @Test func modelsOfEachClassAreFoundByIdentifier() throws {
    let behaviour = Behaviour(answersByClass: true)
    let container = try Self.container(behaviour)
    try Self.fill(container)
    let ids = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Button>())
    let reader = ModelContext(container)
    #expect(ids.compactMap { (reader.model(for: $0) as? Component)?.name } == ["button"])
  }

  @Test func membersThatAStoreDoesNotGiveAreReported() throws {
    let isIncomplete = Mutex(false)
    let behaviour = Behaviour(hides: { id in
      isIncomplete.withLock { $0 } && id.entityName == "Button"
    })
    let container = try Self.container(behaviour)
    try Self.fill(container)
    isIncomplete.withLock { $0 = true }
    let lines = Mutex<[String]>([])
    try WarningLog.$receiver.withValue({ line in lines.withLock { $0.append(line) } }) {
      for _ in 0..<2 {
        let window = try #require(ModelContext(container).fetch(FetchDescriptor<Window>()).first)
        #expect(window.children.count == 2)
      }
    }
    let line = try #require(lines.withLock { $0 }.first)
    #expect(lines.withLock { $0.count } == 1)
    #expect(line.contains("no rows for 1 of the models in Window.children (Button)"))
  }
}
