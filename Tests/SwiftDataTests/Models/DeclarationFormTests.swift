import Foundation
import SwiftData
import Testing

private let fallbackStep = 5

/// Ways to declare a property or a class, all of which persist.
private enum Forms {
  struct Size: Codable, Equatable { var width = 1, height = 2 }
  enum Kind: String, Codable { case plain, special }

  enum Sort: String, Codable { case small, large }

  @Model final class Ticket {
    @Attribute(.unique) let code: String
    let number: Int
    let kind: Kind
    let size: Size?
    var note: String
    @Relationship(inverse: \Wallet.tickets) var wallet: Wallet?

    init(code: String, number: Int, kind: Kind = .plain, size: Size? = nil, note: String = "") {
      self.code = code
      self.number = number
      self.kind = kind
      self.size = size
      self.note = note
    }
  }

  @Model final class Coin {
    var value: Int
    init(_ value: Int) { self.value = value }

    static func == (a: Coin, b: Coin) -> Bool { a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }

  @Model final class Token {
    var value: Int
    init(_ value: Int) { self.value = value }

    #if canImport(Foundation)
      static func == (a: borrowing Forms.Token, b: borrowing Forms.Token) -> Bool {
        a.value == b.value
      }
    #endif

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }

  @Model final class Wallet {
    var tickets: [Ticket] = []
    weak var favourite: Ticket?
    @Relationship(.unique) var key: String
    @Relationship(.unique) var sort: Sort?
    init(key: String) { self.key = key }
  }

  @Model class Animal {
    let name: String
    var weight: Int { didSet {} }
    init(name: String, weight: Int) {
      self.name = name
      self.weight = weight
    }
  }

  @Model class Dog: Animal {
    let breed: String
    @Transient var changes: [Int] = []
    override var weight: Int { didSet { changes.append(oldValue) } }
    init(name: String, breed: String) {
      self.breed = breed
      super.init(name: name, weight: 1)
    }
  }

  @Model final class Counter {
    private static let first = 3
    var value: Int = Counter.first
    private var step = fallbackStep
    init() {}
    func advance() { value += step }
  }

  @Model final class Pen {
    let owner: Ticket?
    init(owner: Ticket?) { self.owner = owner }
  }

  @MainActor @Model final class Screen {
    var title: String
    var brightness = 7
    @Attribute(.unique) let serial: Int
    @Relationship(deleteRule: .cascade, inverse: \Window.screen) var windows: [Window] = []
    init(title: String, serial: Int) {
      self.title = title
      self.serial = serial
    }
  }

  @MainActor @Model class Window {
    var number: Int
    var screen: Screen?
    init(number: Int) { self.number = number }
  }

  @MainActor @Model class Dialog: Window {
    var text = "hello"
    override init(number: Int) { super.init(number: number) }
  }

  static func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }
}

@Suite struct DeclarationFormTests {
  private typealias Ticket = Forms.Ticket
  private typealias Wallet = Forms.Wallet

  @Test func anEqualityOfTheClassIsUsed() {
    let coins = [Forms.Coin(1), Forms.Coin(1), Forms.Coin(2)]
    #expect(coins[0] == coins[1] && coins[0] != coins[2])
    #expect([coins[0]] == [coins[1]])
    #expect(Set(coins).count == 2)
  }

  @Test func aConditionalEqualityWithQualifiedNamesIsUsed() {
    let tokens = [Forms.Token(1), Forms.Token(1), Forms.Token(2)]
    #expect([tokens[0]] == [tokens[1]] && [tokens[0]] != [tokens[2]])
    #expect(Set(tokens).count == 2)
  }

  @Test func constantsArePersistedAndRestored() throws {
    let context = try Forms.context(Ticket.self)
    for number in 1...100 {
      context.insert(
        Ticket(
          code: "c\(number)", number: number, kind: .special,
          size: number == 7 ? Forms.Size(width: 3, height: 4) : nil))
    }
    try context.save()
    let other = ModelContext(context.container)
    let sorted = try other.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.number)]))
    #expect(sorted.map(\.number) == Array(1...100))
    #expect(sorted.map(\.code) == (1...100).map { "c\($0)" })
    #expect(sorted.allSatisfy { $0.kind == .special })
    #expect(sorted[6].size == Forms.Size(width: 3, height: 4) && sorted[5].size == nil)
    let found = try other.fetch(
      FetchDescriptor<Ticket>(predicate: #Predicate { $0.code == "c42" && $0.number > 3 }))
    #expect(found.map(\.number) == [42])
    #expect(sorted[0].getValue(forKey: \.code) == "c1")
  }

  @Test func aConstantIsReadWhereTheModelIsMetByIdentifierOrRelationship() throws {
    let context = try Forms.context(Ticket.self, Wallet.self)
    let wallet = Wallet(key: "w")
    context.insert(wallet)
    wallet.tickets = [Ticket(code: "a", number: 1)]
    try context.save()
    let identifier = try #require(wallet.tickets.first).persistentModelID
    let other = ModelContext(context.container)
    #expect((other.model(for: identifier) as? Ticket)?.code == "a")
    let third = ModelContext(context.container)
    #expect(try third.fetch(FetchDescriptor<Wallet>()).first?.tickets.map(\.number) == [1])
    var partial = FetchDescriptor<Ticket>()
    partial.propertiesToFetch = [\.note]
    #expect(try ModelContext(context.container).fetch(partial).map(\.code) == ["a"])
  }

  @Test func aUniqueConstantIsUpserted() throws {
    let context = try Forms.context(Ticket.self)
    context.insert(Ticket(code: "a", number: 1, note: "old"))
    try context.save()
    context.insert(Ticket(code: "a", number: 2, note: "new"))
    try context.save()
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<Ticket>())
    #expect(stored.map(\.number) == [2] && stored.map(\.note) == ["new"])
  }

  @Test func constantsOfASubclassAndItsSuperclass() throws {
    let context = try Forms.context(Forms.Animal.self, Forms.Dog.self)
    context.insert(Forms.Dog(name: "Rex", breed: "Pug"))
    context.insert(Forms.Animal(name: "Tom", weight: 5))
    try context.save()
    let other = ModelContext(context.container)
    let all = try other.fetch(FetchDescriptor<Forms.Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["Rex", "Tom"])
    #expect((all[0] as? Forms.Dog)?.breed == "Pug")
    #expect(all.map(\.weight) == [1, 5])
  }

  @Test func observersOfAnOverridingPropertyAreCalled() throws {
    let context = try Forms.context(Forms.Animal.self, Forms.Dog.self)
    let dog = Forms.Dog(name: "Rex", breed: "Pug")
    context.insert(dog)
    dog.weight = 4
    dog.weight = 5
    #expect(dog.changes == [1, 4])
    try context.save()
    #expect(
      try ModelContext(context.container).fetch(FetchDescriptor<Forms.Dog>()).map(\.weight) == [5])
  }

  @Test func initialValuesMayBePrivate() throws {
    let context = try Forms.context(Forms.Counter.self)
    context.insert(Forms.Counter())
    try context.save()
    let stored = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Forms.Counter>()).first)
    stored.advance()
    #expect(stored.value == 8)
  }

  @Test func aConstantRelationshipIsRefusedWhenTheContainerOpens() {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Forms.context(Forms.Pen.self, Ticket.self, Wallet.self)
    }
    #expect(error?.entity == "Pen" && error?.property == "owner")
    #expect(error?.description.contains("'var'") == true)
  }

  @Test func aWeakPropertyIsARelationship() throws {
    let context = try Forms.context(Ticket.self, Wallet.self)
    let wallet = Wallet(key: "w")
    let ticket = Ticket(code: "a", number: 1)
    wallet.favourite = ticket
    context.insert(wallet)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Wallet>()).first)
    #expect(stored.favourite?.code == "a")
    stored.favourite = nil
    try other.save()
    #expect(
      try ModelContext(context.container).fetch(FetchDescriptor<Wallet>()).first?.favourite == nil)
  }

  @Test func theUniqueOptionOfARelationshipIsOneOfTheAttribute() throws {
    let context = try Forms.context(Wallet.self)
    let key = context.container.schema.entitiesByName["Wallet"]?.attributesByName["key"]
    #expect(key?.isUnique == true)
    context.insert(Wallet(key: "w"))
    context.insert(Wallet(key: "w"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Wallet>()) == 1)
    // Whether a type is an enum is not seen where the macro is expanded.
    let sort = context.container.schema.entitiesByName["Wallet"]?.attributesByName["sort"]
    #expect(sort?.isUnique == true)
    for key in ["a", "b"] {
      let wallet = Wallet(key: key)
      wallet.sort = .large
      context.insert(wallet)
      try context.save()
    }
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Wallet>()) == 2)
  }

  @MainActor @Test func modelsOfTheMainActor() throws {
    let container = try ModelContainer(
      for: Forms.Screen.self, Forms.Window.self, Forms.Dialog.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = container.mainContext
    let screen = Forms.Screen(title: "left", serial: 3)
    context.insert(screen)
    screen.windows = [Forms.Window(number: 1), Forms.Dialog(number: 2)]
    try context.save()
    let other = ModelContext(container)
    let stored = try #require(try other.fetch(FetchDescriptor<Forms.Screen>()).first)
    #expect(stored.title == "left" && stored.brightness == 7 && stored.serial == 3)
    #expect(Set(stored.windows.map(\.number)) == [1, 2])
    #expect(stored.windows.compactMap { $0 as? Forms.Dialog }.map(\.text) == ["hello"])
    stored.title = "right"
    try other.save()
    let titles = try ModelContext(container).fetch(FetchDescriptor<Forms.Screen>()).map(\.title)
    #expect(titles == ["right"])
  }

  @Test func theSchemaOfAMainActorModelIsReadOnAnyThread() async throws {
    let count = try await Task.detached {
      let container = try ModelContainer(
        for: Forms.Screen.self, Forms.Dialog.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      return try ModelContext(container).fetchCount(FetchDescriptor<Forms.Screen>())
    }.value
    #expect(count == 0)
  }
}
