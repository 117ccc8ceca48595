import Foundation
import Hummingbird
import SwiftData
import TripModels

/// A trip as clients receive it. Models stay on the actor of their context; this value is sent.
struct TripView: ResponseEncodable, Equatable, Sendable {
  let code: UUID
  let details: TripDetails

  init(_ trip: Trip) {
    code = trip.code
    details = trip.details
  }
}

/// Changes of the list of the page, in the order in which the page applies them: removals from the last
/// offset to the first, insertions from the first offset to the last, then replacements.
struct TripChanges: Encodable {
  struct Element: Encodable {
    let offset: Int
    let trip: TripView
  }

  let removed: [Int]
  let inserted: [Element]
  let replaced: [Element]

  init(_ difference: ResultsDifference, to trips: [TripView]) {
    func element(_ offset: Int) -> Element { Element(offset: offset, trip: trips[offset]) }
    removed = (difference.removed.map(\.offset) + difference.moved.map(\.source)).sorted(by: >)
    inserted = (difference.inserted.map(\.offset) + difference.moved.map(\.destination)).sorted()
      .map(element)
    replaced = difference.updated.map(\.offset).map(element)
  }
}

extension TripDetails {
  /// These details, or an error for the client if a trip cannot have them.
  func validated() throws -> TripDetails {
    if let problem { throw HTTPError(.badRequest, message: problem) }
    return self
  }
}

/// A message of a server-sent event stream: a name and a line of JSON.
func event(_ name: String, _ value: some Encodable) throws -> ByteBuffer {
  let data = try JSONEncoder().encode(value)
  return ByteBuffer(string: "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n")
}
