import SwiftData

@Model
final class Team {
  var name: String
  @Relationship(inverse: \Person.team) var members: [Person] = []

  init(_ index: Int) { name = "Team \(index)" }
}

@Model
final class Person {
  #Index<Person>([\.number])

  var number: Int
  var name: String
  var team: Team?
  @Relationship(deleteRule: .cascade, inverse: \Device.owner) var devices: [Device] = []

  init(_ index: Int) {
    number = index
    name = "Person \(index)"
  }
}

@Model
final class Device {
  var serial: Int
  var label: String
  var owner: Person?

  init(_ index: Int) {
    serial = index
    label = "Device \(index % 1000)"
  }
}
