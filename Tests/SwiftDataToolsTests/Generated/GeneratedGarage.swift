import Foundation
import SwiftData

enum GeneratedGarage {
  @Model
  class Car {
    #Unique<Car>([\.numberPlate])

    /// The stored bytes of a transformed value, as ColorTransformer creates them.
    @Attribute(.transformable(by: StoredBytesTransformer.self))
    var color: Data?
    var maker: String?
    var markedForDeletionAsOf: Date?
    var model: String?
    var numberPlate: String
    @Relationship(inverse: \Person.cars)
    var owner: Person?

    init(numberPlate: String) {
      self.numberPlate = numberPlate
    }
  }

  @Model
  final class ExpensiveSportCar: SportCar {
    var isLimitedEdition: Bool? = false

    override init(numberPlate: String) {
      super.init(numberPlate: numberPlate)
    }
  }

  @Model
  final class Person {
    #Unique<Person>([\.firstName, \.lastName])

    var cars: [Car]?
    var firstName: String?
    @Attribute(.preserveValueOnDeletion)
    var id: UUID
    var lastName: String?
    var updatedAt: Date

    init(id: UUID, updatedAt: Date) {
      self.id = id
      self.updatedAt = updatedAt
    }
  }

  @Model
  class SportCar: Car {
    override init(numberPlate: String) {
      super.init(numberPlate: numberPlate)
    }
  }

  /// Keeps transformed values as their stored bytes.
  final class StoredBytesTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { value }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
  }
}
