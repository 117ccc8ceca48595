import Foundation
import SwiftData

// Models as in a new project of Xcode 26, where everything is isolated to the main actor by default.

enum Mood: String, Codable, CaseIterable { case calm, busy }

struct Address: Codable, Hashable {
  var city = ""
  var number: Int?
}

/// Isolated by default, and so is each class that conforms to it in its declaration.
protocol Titled {
  var title: String { get set }
}

@Model final class Place: Titled {
  @Attribute(.unique) var title: String
  var mood: Mood
  var address: Address?
  @Relationship(deleteRule: .cascade, inverse: \Visit.place) var visits: [Visit] = []

  init(_ title: String, mood: Mood = .calm, address: Address? = nil) {
    self.title = title
    self.mood = mood
    self.address = address
  }
}

@Model final class Visit {
  @MainActor static let sample = Visit(Date(timeIntervalSince1970: 0), stars: 5)
  @MainActor static var lowest = 1

  var date: Date
  var stars: Int
  var place: Place?

  init(_ date: Date, stars: Int) {
    self.date = date
    self.stars = stars
  }

  @MainActor func isGood() -> Bool { stars >= leastStars() }
}

/// The macro's conformance to `Hashable` is not isolated, so this one can't be either.
nonisolated extension Visit: Comparable {
  static func < (a: Visit, b: Visit) -> Bool { a.stars < b.stars }
}

func leastStars() -> Int { 4 }

@Model class Animal: Titled {
  var title: String

  init(title: String) { self.title = title }
}

@Model final class Dog: Animal {
  var isTrained = false

  init(title: String, isTrained: Bool) {
    self.isTrained = isTrained
    super.init(title: title)
  }
}

enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square
}

@Model final class Card {
  var address: Address
  var shape: Shape
  var front = Address()
  var marks: [Address] = []

  init(_ address: Address, _ shape: Shape) {
    self.address = address
    self.shape = shape
  }
}

/// A value that only the app encodes.
struct Export: Codable {
  var titles: [String]
}

@Observable final class PlacesModel {
  let context: ModelContext
  private(set) var places: [Place] = []

  init(_ container: ModelContainer) { context = container.mainContext }

  func load(minimum: Int) throws {
    places = try context.fetch(
      FetchDescriptor<Place>(
        predicate: #Predicate { place in place.visits.contains { $0.stars >= minimum } },
        sortBy: [SortDescriptor(\.title)]))
  }
}

@ModelActor actor Importer {
  func add(_ titles: [String]) throws -> [PersistentIdentifier] {
    let visits = titles.map { _ in Visit(Date(timeIntervalSince1970: 0), stars: 3) }
    for visit in visits { modelContext.insert(visit) }
    try modelContext.save()
    return visits.map(\.persistentModelID)
  }
}
