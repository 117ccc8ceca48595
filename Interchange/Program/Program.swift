import Foundation
import SwiftData

/// A value that is not as it should be.
struct Difference: Error, CustomStringConvertible {
  let description: String
}

/// The steps of one program: `make`, `read`, `edit`, `reread`, each with a file.
@main
struct Program {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      throw Difference(description: "usage: \(arguments[0]) make|read|edit|reread FILE")
    }
    let url = URL(fileURLWithPath: arguments[2])
    let container = try ModelContainer(
      for: Trip.self, Stop.self, Guide.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    switch arguments[1] {
    case "make": try make(context)
    case "read": try read(context)
    case "edit": try edit(context)
    case "reread": try reread(context)
    default: throw Difference(description: "no step \(arguments[1])")
    }
  }

  static func expect<T: Equatable>(_ found: T, _ wanted: T, _ what: String) throws {
    if found != wanted { throw Difference(description: "\(what): \(found) instead of \(wanted)") }
  }

  static func make(_ context: ModelContext) throws {
    let long = Trip(name: "long", days: 30)
    long.site = URL(string: "https://example.org/trip?a=b")
    long.picture = Data([1, 2, 3])
    long.film = Data(repeating: 7, count: 1 << 20)
    long.tags = ["sea", "säe"]
    long.stops = [Stop(place: "Pisa"), Stop(place: "Bari")]
    let short = Trip(name: "short", days: 1)
    short.mood = .calm
    short.weather = .sunny
    for trip in [long, short] { context.insert(trip) }
    let guide = Guide(name: "Ada")
    context.insert(guide)
    guide.trips = [long, short]
    try context.save()
  }

  static func trip(_ name: String, _ context: ModelContext) throws -> Trip {
    let found = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name }))
    guard let trip = found.first, found.count == 1 else {
      throw Difference(description: "\(found.count) trips are named \(name)")
    }
    return trip
  }

  static func read(_ context: ModelContext) throws {
    let (long, short) = (try trip("long", context), try trip("short", context))
    try expect(long.days, 30, "days")
    try expect(long.price, 12.5, "price")
    try expect(long.cost, 3.25, "cost")
    try expect(long.start.timeIntervalSinceReferenceDate, 700_000_000, "start")
    try expect(long.isOpen, true, "isOpen")
    try expect(long.code.uuidString, "0F0E0D0C-0B0A-0908-0706-050403020100", "code")
    try expect(long.site?.absoluteString, "https://example.org/trip?a=b", "site")
    try expect(long.picture, Data([1, 2, 3]), "picture")
    try expect(long.film?.count, 1 << 20, "film")
    try expect(long.mood, .wild, "mood")
    try expect(long.weather, .rain(0.5), "weather")
    try expect(long.place, Place(name: "Rome", latitude: 41.9), "place")
    try expect(long.tags, ["sea", "säe"], "tags")
    try expect(long.stops.map(\.place).sorted(), ["Bari", "Pisa"], "stops")
    try expect(long.guides.map(\.name), ["Ada"], "guides")
    try expect(short.mood, .calm, "mood")
    try expect(short.weather, .sunny, "weather")
    try expect(short.tags, [], "tags")
    try expect(short.site, nil, "site")
    try expect(short.guides.first?.trips.count, 2, "trips")
  }

  static func edit(_ context: ModelContext) throws {
    let (long, short) = (try trip("long", context), try trip("short", context))
    long.days = 31
    long.tags = ["new"]
    long.film = nil
    long.stops.first { $0.place == "Pisa" }.map(context.delete)
    short.weather = .rain(2)
    short.stops.append(Stop(place: "Oslo"))
    short.guides = []
    let added = Trip(name: "added", days: 2)
    context.insert(added)
    added.stops = [Stop(place: "Riga")]
    try context.save()
  }

  static func reread(_ context: ModelContext) throws {
    let (long, short) = (try trip("long", context), try trip("short", context))
    try expect(long.days, 31, "days")
    try expect(long.tags, ["new"], "tags")
    try expect(long.film, nil, "film")
    try expect(long.stops.map(\.place), ["Bari"], "stops")
    try expect(long.guides.map(\.name), ["Ada"], "guides")
    try expect(short.weather, .rain(2), "weather")
    try expect(short.stops.map(\.place), ["Oslo"], "stops")
    try expect(short.guides.count, 0, "guides")
    try expect(try trip("added", context).stops.map(\.place), ["Riga"], "stops")
    try expect(try context.fetchCount(FetchDescriptor<Stop>()), 3, "stops")
  }
}
