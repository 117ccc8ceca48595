import SwiftData

@Model class Animal {
  var name: String
  var legs = 4
  var owner: Owner?
  init(name: String) { self.name = name }
}

@available(macOS 26, *)
@Model class Dog: Animal {
  var breed: String
  var tricks: [String] = []
  init(name: String, breed: String) {
    self.breed = breed
    super.init(name: name)
  }
}

@available(macOS 26, *)
@Model final class Puppy: Dog {
  var weeks: Int
  init(name: String, breed: String, weeks: Int) {
    self.weeks = weeks
    super.init(name: name, breed: breed)
  }
}

@Model final class Owner {
  var name: String
  @Relationship(inverse: \Animal.owner) var animals: [Animal] = []
  var favourite: Animal?
  init(name: String) { self.name = name }
}
