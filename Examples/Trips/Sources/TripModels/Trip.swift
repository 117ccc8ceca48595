import Foundation
import SwiftData

/// A trip. The server and the tool open the same file with it.
@Model
public final class Trip {
  /// Its name in addresses and messages, where a `PersistentIdentifier` would be long.
  @Attribute(.unique) public private(set) var code: UUID
  public private(set) var name: String
  public private(set) var place: String
  public private(set) var start: Date
  public private(set) var end: Date
  public private(set) var notes: String

  public init(_ details: TripDetails) {
    code = UUID()
    name = details.name
    place = details.place
    start = details.start.date
    end = details.end.date
    notes = details.notes
  }

  /// What a person may edit.
  public var details: TripDetails {
    get {
      TripDetails(name: name, place: place, start: Day(start), end: Day(end), notes: notes)
    }
    set {
      // Only what differs: a save keeps what another process wrote to the other properties meanwhile.
      if name != newValue.name { name = newValue.name }
      if place != newValue.place { place = newValue.place }
      if start != newValue.start.date { start = newValue.start.date }
      if end != newValue.end.date { end = newValue.end.date }
      if notes != newValue.notes { notes = newValue.notes }
    }
  }

  /// All trips in the order of time.
  public static var all: FetchDescriptor<Trip> {
    FetchDescriptor(sortBy: [SortDescriptor(\.start), SortDescriptor(\.name)])
  }

  /// The trip with a code.
  public static func coded(_ code: UUID) -> FetchDescriptor<Trip> {
    FetchDescriptor(predicate: #Predicate { $0.code == code })
  }
}
