import SwiftData

extension Specimens {
  @Model final class Garage {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Vehicle.garage) var vehicles: [Vehicle] = []
    /// Without inverse.
    var newest: Vehicle?

    init(_ name: String) { self.name = name }
  }

  @Model class Vehicle {
    var name: String
    var wheels: Int
    var garage: Garage?

    init(_ name: String, wheels: Int) {
      self.name = name
      self.wheels = wheels
    }
  }

  @Model class Car: Vehicle {
    var seats: Int
    var plate: String?

    init(_ name: String, seats: Int, plate: String? = nil) {
      self.seats = seats
      self.plate = plate
      super.init(name, wheels: 4)
    }
  }

  @Model final class Taxi: Car {
    var fare: Double

    init(_ name: String, seats: Int, fare: Double) {
      self.fare = fare
      super.init(name, seats: seats)
    }
  }

  @Model final class Truck: Vehicle {
    var load: Double
    /// Has the name of a property of the class `Car`, but another type.
    var plate: Int

    init(_ name: String, load: Double, plate: Int) {
      self.load = load
      self.plate = plate
      super.init(name, wheels: 8)
    }
  }

  static let vehicles: [any PersistentModel.Type] = [
    Garage.self, Vehicle.self, Car.self, Taxi.self, Truck.self,
  ]
}
