import Foundation
import SwiftData

enum Priority: String, Codable, CaseIterable {
  case low, normal, high

  var title: String { rawValue.capitalized }
}

enum Phase: Codable, Equatable {
  case open, running, done
}

struct Whereabouts: Codable, Equatable {
  var street: String
  var zip: Int?
  var position: Position

  struct Position: Codable, Equatable {
    var latitude: Double
    var longitude: Double?
  }
}

@Model class Entry {
  var name: String
  var alias: String?
  var rank: Int
  var owner: Member?

  init(name: String, alias: String? = nil, rank: Int, owner: Member? = nil) {
    self.name = name
    self.alias = alias
    self.rank = rank
    self.owner = owner
  }
}

@Model final class Job: Entry {
  var due: Date?
  var isUrgent: Bool
  var isPaid: Bool?
  var priority: Priority
  var fallback: Priority?
  var phase: Phase
  var key: UUID
  var price: Decimal
  var size: UInt64
  var score: Double?
  var place: Whereabouts
  var site: Whereabouts?
  var words: [String]
  var link: URL?
  var bytes: Data?
  @Relationship(inverse: \Label.jobs) var labels: [Label] = []

  init(_ index: Int, name: String, alias: String?, owner: Member?) {
    due = index % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(index) * 10.5)
    isUrgent = index % 2 == 0
    isPaid = [nil, true, false][index % 3]
    priority = Priority.allCases[index % 3]
    fallback = index % 4 == 0 ? nil : Priority.allCases[index % 3]
    phase = [.open, .running, .done][index % 3]
    key = UUID()
    price = Decimal(string: ["0", "1.5", "19.99", "123456789012345678.25", "-3"][index % 5])!
    size = [0, 1, .max, 1 << 63, 77][index % 5]
    score = index % 4 == 1 ? nil : Double(index) / 3
    place = Whereabouts(
      street: ["Main", "Side"][index % 2], zip: index % 3 == 0 ? nil : 1000 + index,
      position: .init(latitude: Double(index), longitude: index % 2 == 0 ? nil : 1.25))
    site =
      index % 4 == 0
      ? nil : Whereabouts(street: "Site", zip: index, position: .init(latitude: 1, longitude: nil))
    words = Array(["a", "b"].prefix(index % 3))
    link = index % 2 == 0 ? nil : URL(string: "https://example.org/\(index)")
    bytes = index % 3 == 0 ? nil : Data(repeating: 1, count: index % 4)
    super.init(name: name, alias: alias, rank: index % 8 - 3, owner: owner)
  }
}

@Model final class Member {
  var name: String
  var age: Int?
  var leader: Member?
  @Relationship(inverse: \Entry.owner) var entries: [Entry] = []

  init(name: String, age: Int?, leader: Member? = nil) {
    self.name = name
    self.age = age
    self.leader = leader
  }
}

@Model final class Label {
  var text: String
  var maker: Member?
  var jobs: [Job] = []

  init(text: String, maker: Member?) {
    self.text = text
    self.maker = maker
  }
}
