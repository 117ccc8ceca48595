import Foundation
import SwiftData

/// Models whose names are keywords, names of Swift's own types or of what `@Model` adds.
enum Unusual {
  @Model class Thing {
    @SwiftData.Attribute(.unique) var `init`: Swift.String
    var `default`: Int
    var `class`: Swift.String?
    var payload: Foundation.Data
    @SwiftData.Attribute(.externalStorage) var scan: Foundation.Data
    var words: [Swift.String]
    var numbers: Swift.Set<Int>
    var type: Kind
    var set: Pair
    var attribute: Pair
    var _1x: Pair?
    var größe🎉: Double
    var `repeat`: Set?
    @SwiftData.Relationship(inverse: \Thing.unlike) var like: [Thing] = []
    var unlike: [Thing] = []

    init(_ name: Swift.String) {
      `init` = name
      `default` = 7
      payload = Foundation.Data([1, 2])
      scan = Foundation.Data(repeating: 5, count: 200_000)
      words = ["a \"quoted\" word"]
      numbers = [3]
      type = .case(2)
      set = Pair(self_: "s", in: 4)
      attribute = Pair(self_: "a", in: 5)
      größe🎉 = 0.5
    }
  }

  @Model final class Attribute: Thing {
    var `where`: Swift.String

    override init(_ name: Swift.String) {
      `where` = "here"
      super.init(name)
    }
  }

  @Model final class Set {
    #Unique<Set>([\.hashValue_, \.id_])
    #Index<Set>([\.`self_`, \.`is`], [\.place.`in`])
    var hashValue_: Int
    var id_: UUID
    var self_: Swift.String
    var `is`: Bool
    var modelContext_: Int
    var place: Pair
    @SwiftData.Relationship(deleteRule: .cascade, inverse: \Thing.`repeat`) var `for`: [Thing] = []
    var date: Date?
    var other: Task?

    init(_ number: Int) {
      hashValue_ = number
      id_ = UUID()
      self_ = "self"
      `is` = true
      modelContext_ = 3
      place = Pair(self_: "x", in: 1)
    }
  }

  @Model final class Date {
    var when: Foundation.Date
    var array: [Foundation.Data]
    var duration: Swift.Duration?

    init() {
      when = Foundation.Date(timeIntervalSinceReferenceDate: 0)
      array = [Foundation.Data([9])]
    }
  }

  @Model final class Task {
    var id: Swift.String
    var category: Category?
    var string: String?

    init(id: Swift.String) { self.id = id }
  }

  @Model final class Category {
    var `enum`: Mood
    @SwiftData.Relationship(inverse: \Task.category) var tasks: [Task] = []

    init() { `enum` = .false }
  }

  @Model final class String {
    var text: Swift.String

    init() { text = "t" }
  }

  enum Kind: Codable, Hashable {
    case `case`(Int)
    case none
    case `protocol`(`in`: Int, other: Swift.String?)
  }

  enum Mood: Swift.String, Codable { case `true`, `false` }

  struct Pair: Codable, Hashable {
    var self_: Swift.String
    var `in`: Int
  }

  static let types: [any PersistentModel.Type] = [
    Thing.self, Attribute.self, Set.self, Date.self, Task.self, Category.self, String.self,
  ]

  static func make(at url: URL) throws {
    let container = try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let (data, attribute, set) = (Thing("d"), Attribute("a"), Set(1))
    context.insert(data)
    context.insert(attribute)
    context.insert(set)
    set.date = Date()
    set.other = Task(id: "t")
    set.other?.category = Category()
    set.for = [data, attribute]
    data.like = [attribute, data]
    try context.save()
  }
}
