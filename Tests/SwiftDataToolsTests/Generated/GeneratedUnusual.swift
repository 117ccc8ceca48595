import Foundation
import SwiftData

enum GeneratedUnusual {
  @Model
  final class Attribute: Thing {
    var `where`: Swift.String

    init(
      attribute: AttributeValue, `default`: Int, größe🎉: Double, `init`: Swift.String,
      numbers: Swift.Set<Int>, payload: Data, scan: Data, set: SetValue, type: TypeValue,
      words: [Swift.String], `where`: Swift.String
    ) {
      self.`where` = `where`
      super.init(
        attribute: attribute, default: `default`, größe🎉: größe🎉, init: `init`, numbers: numbers,
        payload: payload, scan: scan, set: set, type: type, words: words)
    }
  }

  @Model
  final class Category {
    var `enum`: Enum
    @Relationship(inverse: \Task.category)
    var tasks: [Task] = []

    init(`enum`: Enum) {
      self.`enum` = `enum`
    }

    /// An enum. The file does not contain its cases.
    struct Enum: RawRepresentable, Codable, Hashable {
      var rawValue: Swift.String
    }
  }

  @Model
  final class Date {
    var array: [Data]
    var duration: Duration?
    var when: Foundation.Date

    init(array: [Data], when: Foundation.Date) {
      self.array = array
      self.when = when
    }
  }

  @Model
  final class Set {
    #Unique<Set>([\.hashValue_, \.id_])
    #Index<Set>([\.self_, \.`is`], [\.place.`in`])

    var date: Date?
    @Relationship(deleteRule: .cascade, inverse: \Thing.`repeat`)
    var `for`: [Thing] = []
    var hashValue_: Int
    var id_: UUID
    var `is`: Bool
    var modelContext_: Int
    var other: Task?
    var place: Place
    var self_: Swift.String

    init(
      hashValue_: Int, id_: UUID, `is`: Bool, modelContext_: Int, place: Place, self_: Swift.String
    ) {
      self.hashValue_ = hashValue_
      self.id_ = id_
      self.`is` = `is`
      self.modelContext_ = modelContext_
      self.place = place
      self.self_ = self_
    }

    struct Place: Codable, Hashable {
      var self_: Swift.String
      var `in`: Int
    }
  }

  @Model
  final class String {
    var text: Swift.String

    init(text: Swift.String) {
      self.text = text
    }
  }

  @Model
  final class Task {
    var category: Category?
    var id: Swift.String
    var string: String?

    init(id: Swift.String) {
      self.id = id
    }
  }

  @Model
  class Thing {
    #Unique<Thing>([\.`init`])

    var _1x: Value1x?
    var attribute: AttributeValue
    var `class`: Swift.String?
    var `default`: Int
    var größe🎉: Double
    var `init`: Swift.String
    @Relationship(inverse: \Thing.unlike)
    var like: [Thing] = []
    var numbers: Swift.Set<Int>
    var payload: Data
    var `repeat`: Set?
    @SwiftData.Attribute(.externalStorage)
    var scan: Data
    var set: SetValue
    var type: TypeValue
    var unlike: [Thing] = []
    var words: [Swift.String]

    init(
      attribute: AttributeValue, `default`: Int, größe🎉: Double, `init`: Swift.String,
      numbers: Swift.Set<Int>, payload: Data, scan: Data, set: SetValue, type: TypeValue,
      words: [Swift.String]
    ) {
      self.attribute = attribute
      self.`default` = `default`
      self.größe🎉 = größe🎉
      self.`init` = `init`
      self.numbers = numbers
      self.payload = payload
      self.scan = scan
      self.set = set
      self.type = type
      self.words = words
    }

    struct Value1x: Codable, Hashable {
      var self_: Swift.String?
      var `in`: Int?
    }

    struct AttributeValue: Codable, Hashable {
      var self_: Swift.String
      var `in`: Int
    }

    struct SetValue: Codable, Hashable {
      var self_: Swift.String
      var `in`: Int
    }

    enum TypeValue: Codable, Hashable {
      case `case`(Int)
      case `protocol`(`in`: Int?, other: Swift.String?)
      case none
    }
  }
}
