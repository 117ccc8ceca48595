import SwiftData

enum InheritanceRules {
  private typealias Garage = Specimens.Garage
  private typealias Vehicle = Specimens.Vehicle
  private typealias Car = Specimens.Car
  private typealias Taxi = Specimens.Taxi
  private typealias Truck = Specimens.Truck

  static let chapter = Chapter(
    name: "inheritance", models: Specimens.vehicles,
    rules: [
      superclass, subclass, own, members, predicates, orders, limits, edits, batch, batchAlone,
    ])

  /// One vehicle of each class, with 1 to 4 wheels more or less.
  private static func fill(_ trial: Trial) throws {
    let context = try trial.context()
    let vehicles: [Vehicle] = [
      Truck("truck", load: 7.5, plate: 12), Vehicle("cart", wheels: 2),
      Taxi("taxi", seats: 5, fare: 2.5), Car("car", seats: 4, plate: "A-1"),
    ]
    for vehicle in vehicles { context.insert(vehicle) }
    try context.save()
  }

  private static func names<T: Vehicle & PersistentModel>(
    _ trial: Trial, _ descriptor: FetchDescriptor<T>
  ) throws -> [String] {
    try trial.context().fetch(descriptor).map(\.name)
  }

  private static let superclass = Rule(
    "superclass", .inheritance,
    "A fetch of a class returns the models of its subclasses too, each as its own class."
  ) { trial in
    try fill(trial)
    let found = try trial.all(Vehicle.self)
    trial.expect(
      "The classes", Set(found.map { "\($0.name) \(type(of: $0))" }),
      ["cart Vehicle", "car Car", "taxi Taxi", "truck Truck"])
    let context = try trial.context()
    trial.expect("The count", try context.fetchCount(FetchDescriptor<Vehicle>()), 4)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Vehicle>())
    trial.expect("The number of identifiers", Set(identifiers).count, 4)
    trial.expect(
      "The entities of the identifiers", identifiers.map(\.entityName).sorted(),
      ["Car", "Taxi", "Truck", "Vehicle"])
  }

  private static let subclass = Rule(
    "subclass", .inheritance,
    "A fetch of a subclass returns neither its superclass nor its siblings."
  ) { trial in
    try fill(trial)
    trial.expect("The cars", try names(trial, FetchDescriptor<Car>()).sorted(), ["car", "taxi"])
    trial.expect("The taxis", try names(trial, FetchDescriptor<Taxi>()), ["taxi"])
    trial.expect("The trucks", try names(trial, FetchDescriptor<Truck>()), ["truck"])
    trial.expect("The count of cars", try trial.context().fetchCount(FetchDescriptor<Car>()), 2)
  }

  private static let own = Rule(
    "own properties", .inheritance,
    "Models of subclasses keep inherited and own properties, however they are fetched."
  ) { trial in
    try fill(trial)
    for isFetchedBySuperclass in [true, false] {
      let context = try trial.context()
      func one<T: Vehicle & PersistentModel>(_ type: T.Type, _ name: String) throws -> T {
        if !isFetchedBySuperclass { return try trial.one(type, \.name, name, in: context) }
        let found = try trial.one(Vehicle.self, \.name, name, in: context)
        return try trial.require("The \(type) in a fetch of Vehicle", found as? T)
      }
      let car = try one(Car.self, "car")
      trial.expect("The seats of the car", car.seats, 4)
      trial.expect("The plate of the car", car.plate, "A-1")
      trial.expect("The wheels of the car", car.wheels, 4)
      let taxi = try one(Taxi.self, "taxi")
      trial.expect("The fare of the taxi", taxi.fare, 2.5)
      trial.expect("The seats of the taxi", taxi.seats, 5)
      trial.expect("The plate of the taxi", taxi.plate, nil)
      let truck = try one(Truck.self, "truck")
      trial.expect("The load of the truck", truck.load, 7.5)
      trial.expect("The plate of the truck", truck.plate, 12)
      trial.expect("The wheels of the truck", truck.wheels, 8)
    }
  }

  private static let members = Rule(
    "members", .inheritance, "Relationships to a class have members of its subclasses."
  ) { trial in
    let context = try trial.context()
    let garage = Garage("main")
    context.insert(garage)
    garage.vehicles = [
      Vehicle("cart", wheels: 2), Car("car", seats: 4), Taxi("taxi", seats: 5, fare: 1),
    ]
    garage.newest = garage.vehicles.first { $0.name == "taxi" }
    try context.save()
    let found = try trial.only(Garage.self, in: trial.context())
    trial.expect(
      "The members", Set(found.vehicles.map { "\($0.name) \(type(of: $0))" }),
      ["cart Vehicle", "car Car", "taxi Taxi"])
    trial.expect("The fare of a to-one member", (found.newest as? Taxi)?.fare, 1)
    for vehicle in try trial.all(Vehicle.self) {
      trial.expect("The garage of the \(vehicle.name)", vehicle.garage?.name, "main")
    }
    let taxi = try trial.only(Taxi.self, in: trial.context())
    let model = try trial.context().model(for: taxi.persistentModelID)
    trial.expect("The class of a model found by identifier", "\(type(of: model))", "Taxi")
  }

  private static let predicates = Rule(
    "predicates", .inheritance, "Predicates see inherited and own properties of subclasses."
  ) { trial in
    try fill(trial)
    let four = FetchDescriptor<Vehicle>(predicate: #Predicate { $0.wheels == 4 })
    trial.expect("Vehicles with wheels == 4", try names(trial, four).sorted(), ["car", "taxi"])
    trial.expect("The count of wheels == 4", try trial.context().fetchCount(four), 2)
    let inherited = FetchDescriptor<Car>(predicate: #Predicate { $0.name == "taxi" })
    trial.expect("Cars with name == \"taxi\"", try names(trial, inherited), ["taxi"])
    let own = FetchDescriptor<Car>(predicate: #Predicate { $0.seats > 4 })
    trial.expect("Cars with seats > 4", try names(trial, own), ["taxi"])
    let cast = FetchDescriptor<Vehicle>(predicate: #Predicate { $0 is Specimens.Car })
    trial.expect("Vehicles that are cars", try names(trial, cast).sorted(), ["car", "taxi"])
  }

  private static let orders = Rule(
    "orders", .inheritance, "An order applies to the models of all subclasses together."
  ) { trial in
    try fill(trial)
    let byName = FetchDescriptor(sortBy: [SortDescriptor(\Vehicle.name)])
    trial.expect("By name", try names(trial, byName), ["car", "cart", "taxi", "truck"])
    let byWheels = FetchDescriptor(
      sortBy: [SortDescriptor(\Vehicle.wheels, order: .reverse), SortDescriptor(\Vehicle.name)])
    trial.expect(
      "By wheels and name", try names(trial, byWheels), ["truck", "car", "taxi", "cart"])
    let bySeats = FetchDescriptor(sortBy: [SortDescriptor(\Car.seats, order: .reverse)])
    trial.expect("Cars by seats", try names(trial, bySeats), ["taxi", "car"])
  }

  private static let limits = Rule(
    "limits", .inheritance, "Limit and offset count the models of all subclasses together."
  ) { trial in
    try fill(trial)
    var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Vehicle.name)])
    (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 2)
    trial.expect("The second and third by name", try names(trial, descriptor), ["cart", "taxi"])
    trial.expect("The count", try trial.context().fetchCount(descriptor), 2)
    descriptor.predicate = #Predicate { $0.wheels > 2 }
    trial.expect("With a predicate", try names(trial, descriptor), ["taxi", "truck"])
    var unordered = FetchDescriptor<Vehicle>()
    let all = try names(trial, unordered)
    (unordered.fetchOffset, unordered.fetchLimit) = (1, 2)
    let found = try names(trial, unordered)
    trial.expect("The second and third without an order", found, Array(all.dropFirst().prefix(2)))
    trial.expect("Their count", try trial.context().fetchCount(unordered), 2)
  }

  private static let edits = Rule(
    "edits", .inheritance, "Models of subclasses are changed and deleted like others."
  ) { trial in
    try fill(trial)
    let context = try trial.context()
    let taxi = try trial.one(Vehicle.self, \.name, "taxi", in: context)
    taxi.wheels = 3
    (taxi as? Taxi)?.fare = 9
    context.delete(try trial.one(Car.self, \.name, "car", in: context))
    try context.save()
    let found = try trial.only(Taxi.self, in: trial.context())
    trial.expect("The inherited property", found.wheels, 3)
    trial.expect("The own property", found.fare, 9)
    trial.expect("An unchanged property", found.seats, 5)
    let rest = try names(trial, FetchDescriptor<Vehicle>()).sorted()
    trial.expect("The remaining vehicles", rest, ["cart", "taxi", "truck"])
  }

  private static let batch = Rule(
    "batch", .inheritance, "delete(model:) deletes models of subclasses too."
  ) { trial in
    try fill(trial)
    try trial.context().delete(model: Car.self)
    let rest = try names(trial, FetchDescriptor<Vehicle>()).sorted()
    trial.expect("The remaining vehicles", rest, ["cart", "truck"])
  }

  private static let batchAlone = Rule(
    "batch without subclasses", .inheritance,
    "delete(model:includeSubclasses: false) leaves the models of subclasses alone."
  ) { trial in
    try fill(trial)
    try trial.context().delete(model: Car.self, includeSubclasses: false)
    let rest = try names(trial, FetchDescriptor<Vehicle>()).sorted()
    trial.expect("The remaining vehicles", rest, ["cart", "taxi", "truck"])
    guard let store = try trial.store() as? any DataStoreBatching else { return }
    if try store.deleteDirectly(Vehicle.self, includeSubclasses: false) {
      let rest = try names(trial, FetchDescriptor<Vehicle>()).sorted()
      trial.expect("The vehicles after a direct batch", rest, ["taxi", "truck"])
    }
  }
}
