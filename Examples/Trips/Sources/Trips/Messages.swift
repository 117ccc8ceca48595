import Foundation
import Hummingbird
import SwiftData
import TripModels

/// A trip as the page and other clients see it. Models stay on the actor of their context; this is sent.
struct TripView: ResponseEncodable, Equatable, Sendable {
  let code: UUID
  let details: TripDetails

  init(_ trip: Trip) {
    code = trip.code
    details = trip.details
  }
}

/// What the page does to its list: first it takes out, the last place first; then it puts in, the first
/// place first; then it replaces.
struct TripChanges: Encodable {
  struct Placed: Encodable {
    let offset: Int
    let trip: TripView
  }

  let taken: [Int]
  let put: [Placed]
  let replaced: [Placed]

  init(_ difference: ResultsDifference, to trips: [TripView]) {
    func placed(_ offset: Int) -> Placed { Placed(offset: offset, trip: trips[offset]) }
    taken = (difference.removed.map(\.offset) + difference.moved.map(\.source)).sorted(by: >)
    put = (difference.inserted.map(\.offset) + difference.moved.map(\.destination)).sorted()
      .map(placed)
    replaced = difference.updated.map(\.offset).map(placed)
  }
}

/// A message of a server-sent event stream: a name and a line of JSON.
func event(_ name: String, _ value: some Encodable) throws -> ByteBuffer {
  let data = try JSONEncoder().encode(value)
  return ByteBuffer(string: "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n")
}
