import Foundation
import SwiftData

/// A trip. The server and the tool open the same file with it.
@Model
public final class Trip {
  /// Identifies the trip in URLs and messages; a `PersistentIdentifier` is longer.
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

  /// The properties that a person edits.
  public var details: TripDetails {
    get {
      TripDetails(name: name, place: place, start: Day(start), end: Day(end), notes: notes)
    }
    set {
      // Sets only different values, so a save keeps what other processes wrote to the other properties.
      if name != newValue.name { name = newValue.name }
      if place != newValue.place { place = newValue.place }
      if start != newValue.start.date { start = newValue.start.date }
      if end != newValue.end.date { end = newValue.end.date }
      if notes != newValue.notes { notes = newValue.notes }
    }
  }

  /// All trips, ordered by their first day.
  public static var all: FetchDescriptor<Trip> {
    FetchDescriptor(sortBy: [SortDescriptor(\.start), SortDescriptor(\.name)])
  }

  /// The trip with a code.
  public static func coded(_ code: UUID) -> FetchDescriptor<Trip> {
    FetchDescriptor(predicate: #Predicate { $0.code == code })
  }
}
