import Foundation
import SwiftData
import SwiftDataTesting

/// Models of the tests.
enum Journeys {
  @Model
  final class Trip {
    var name: String
    var start: Date?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String) { self.name = name }

    var length: Int { name.count }
  }

  @Model
  final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
  }

  static let three: Seed = """
    {
      "Trip": [
        {"id": "lisbon", "name": "Lisbon", "start": "2026-05-01", "stops": ["belem", "alfama"]},
        {"id": "porto", "name": "Porto", "stops": ["ribeira"]},
        {"id": "faro", "name": "Faro"},
        {"id": "braga", "name": "Braga", "stops": ["bom jesus"]}
      ],
      "Stop": [
        {"id": "belem", "place": "Belém"},
        {"id": "alfama", "place": "Alfama"},
        {"id": "ribeira", "place": "Ribeira"},
        {"id": "bom jesus", "place": "Bom Jesus"}
      ]
    }
    """
}

typealias Trip = Journeys.Trip
typealias Stop = Journeys.Stop

extension TemporaryContainer.Storage {
  static let both: [TemporaryContainer.Storage] = [.memory, .file]
}
