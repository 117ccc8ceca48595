/// What a person may edit of a trip; its JSON form is what the server takes.
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

  /// Why these details cannot be kept; `nil` if they can.
  public var fault: String? {
    if name.isEmpty { return "A trip needs a name." }
    if end.date < start.date { return "A trip cannot end before it starts." }
    return nil
  }
}
