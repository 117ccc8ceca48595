import Foundation
import SwiftData

/// Models with every kind of column and link that a store file has: a hierarchy, unique values, values in
/// files, pairs of one entity with itself and with a subclass, owners without an inverse.
enum Zoo {
  @Model class Animal {
    @Attribute(.unique) var name: String
    var weight: Double
    var born: Date
    var legs: Int
    var isTame = false
    var tags: [String]
    var chip: UUID?
    @Attribute(.externalStorage) var photo: Data?
    var keeper: Keeper?
    @Relationship(inverse: \Animal.fearedBy) var fears: [Animal] = []
    var fearedBy: [Animal] = []

    init(_ name: String) {
      self.name = name
      weight = 2.5
      born = Date(timeIntervalSinceReferenceDate: 100)
      legs = 4
      tags = ["a", "b"]
      chip = UUID()
    }
  }

  @Model final class Dog: Animal {
    var tricks = 3
    @Relationship(inverse: \Keeper.walks) var walkers: [Keeper] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Keeper {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Animal.keeper) var animals: [Animal] = []
    var walks: [Dog] = []
    var favourite: Animal?
    @Relationship var wishes: [Wish] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Wish {
    var text: String

    init(_ text: String) { self.text = text }
  }

  static let types: [any PersistentModel.Type] = [
    Animal.self, Dog.self, Keeper.self, Wish.self,
  ]

  static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url))
  }

  /// A folder with a store of its own that has twelve animals, six of them dogs, and four keepers, linked in
  /// all ways.
  static func folder() throws -> StoreFolder { try StoreFolder(copying: template.get()) }

  private static let template = Result {
    let folder = try StoreFolder()
    let context = ModelContext(try container(folder.store))
    let keepers = (0..<4).map { Keeper("Keeper \($0)") }
    for keeper in keepers {
      context.insert(keeper)
      keeper.wishes = [Wish("\(keeper.name) 1"), Wish("\(keeper.name) 2")]
    }
    var animals: [Animal] = []
    for number in 0..<12 {
      let animal = number % 2 == 0 ? Animal("Animal \(number)") : Dog("Animal \(number)")
      context.insert(animal)
      if number < 3 { animal.photo = External.bytes(UInt8(number)) }
      animal.keeper = keepers[number % 4]
      (animal as? Dog)?.walkers = [keepers[number % 4], keepers[(number + 1) % 4]]
      if let last = animals.last { animal.fears = [last] }
      animals.append(animal)
    }
    for (place, keeper) in keepers.enumerated() { keeper.favourite = animals[place] }
    try context.save()
    return folder
  }

  /// Reads every value and link of every model.
  static func readAll(_ context: ModelContext) throws -> [String] {
    var found: [String] = []
    let animals = try context.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    for animal in animals {
      found.append(
        "\(animal.name) \(animal.weight) \(animal.born) \(animal.legs) \(animal.isTame) "
          + "\(animal.tags) \(animal.chip as Any) \(animal.photo?.count ?? 0) "
          + "\(animal.keeper?.name ?? "") \(animal.fears.count) \(animal.fearedBy.count)")
      if let dog = animal as? Dog { found.append("\(dog.tricks) \(dog.walkers.map(\.name))") }
    }
    for keeper in try context.fetch(FetchDescriptor<Keeper>(sortBy: [SortDescriptor(\.name)])) {
      found.append(
        "\(keeper.name) \(keeper.animals.map(\.name)) \(keeper.walks.map(\.tricks)) "
          + "\(keeper.favourite?.name ?? "") \(keeper.favourite?.legs ?? 0) "
          + "\(keeper.wishes.map(\.text))")
    }
    return found
  }
}
