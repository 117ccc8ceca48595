/// The properties of a trip that a person edits. The server sends and receives their JSON form.
public struct TripDetails: Codable, Equatable, Sendable {
  public var name: String
  public var place: String
  public var start: Day
  public var end: Day
  public var notes: String

  public init(name: String, place: String, start: Day, end: Day, notes: String) {
    self.name = name
    self.place = place
    self.start = start
    self.end = end
    self.notes = notes
  }

  /// Why a trip cannot have these details; `nil` if it can.
  public var problem: String? {
    if name.isEmpty { return "A trip needs a name." }
    if end.date < start.date { return "A trip cannot end before it starts." }
    return nil
  }
}

/// New values of some properties of a trip; the other properties keep their values.
public struct TripEdit: Codable, Sendable {
  public var name: String?
  public var place: String?
  public var start: Day?
  public var end: Day?
  public var notes: String?

  public init(name: String?, place: String?, start: Day?, end: Day?, notes: String?) {
    self.name = name
    self.place = place
    self.start = start
    self.end = end
    self.notes = notes
  }

  public func applied(to details: TripDetails) -> TripDetails {
    TripDetails(
      name: name ?? details.name, place: place ?? details.place, start: start ?? details.start,
      end: end ?? details.end, notes: notes ?? details.notes)
  }
}
