import ArgumentParser
import Foundation
import SwiftData
import TripModels

/// Adds, edits, deletes and lists trips from the command line. A server can have the file open.
@main
struct TripsTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists and changes the trips of a store.",
    subcommands: [Add.self, Edit.self, Delete.self, List.self])
}

struct StoreOption: ParsableArguments {
  @Option(help: "The store file. Without it, Trips.store in the temporary directory.")
  var store: String?

  func open() throws -> ModelContext {
    ModelContext(try TripStore(file: store).container)
  }
}

extension Day: ExpressibleByArgument {}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds a trip.")

  @OptionGroup var store: StoreOption
  @Argument var name: String
  @Option var place: String
  @Option(help: "The first day, such as 2026-07-31.") var start: Day
  @Option(help: "The last day. Without it, the first one.") var end: Day?
  @Option var notes = ""

  func run() throws {
    let context = try store.open()
    let details = TripDetails(
      name: name, place: place, start: start, end: end ?? start, notes: notes)
    if let problem = details.problem { throw ValidationError(problem) }
    context.insert(Trip(details))
    try context.save()
  }
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes the trips with a name. Omitted options keep their values.")

  @OptionGroup var store: StoreOption
  @Argument var name: String
  @Option(help: "Its new name.") var rename: String?
  @Option var place: String?
  @Option(help: "The first day, such as 2026-07-31.") var start: Day?
  @Option(help: "The last day.") var end: Day?
  @Option var notes: String?

  func run() throws {
    let context = try store.open()
    let edit = TripEdit(name: rename, place: place, start: start, end: end, notes: notes)
    for trip in try trips(named: name, in: context) {
      let details = edit.applied(to: trip.details)
      if let problem = details.problem { throw ValidationError(problem) }
      trip.details = details
    }
    try context.save()
  }
}

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Deletes the trips with a name.")

  @OptionGroup var store: StoreOption
  @Argument var name: String

  func run() throws {
    let context = try store.open()
    for trip in try trips(named: name, in: context) { context.delete(trip) }
    try context.save()
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists all trips.")

  @OptionGroup var store: StoreOption

  func run() throws {
    for trip in try store.open().fetch(Trip.all).map(\.details) {
      print("\(trip.start) – \(trip.end)  \(trip.name), \(trip.place)")
    }
  }
}

private func trips(named name: String, in context: ModelContext) throws -> [Trip] {
  let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name }))
  if trips.isEmpty { throw ValidationError("There is no trip named \(name).") }
  return trips
}
