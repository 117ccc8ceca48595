import Foundation
import Hummingbird
import SwiftData
import TripModels

/// Answers requests. All its work runs on one actor with a separate context.
@ModelActor
actor TripDesk {
  func trips() throws -> [TripView] {
    try modelContext.fetch(Trip.all).map(TripView.init)
  }

  func add(_ details: TripDetails) throws -> TripView {
    let trip = Trip(try details.validated())
    modelContext.insert(trip)
    try save()
    return TripView(trip)
  }

  /// Changes only the properties that the edit names, so edits of different properties do not overwrite
  /// each other.
  func edit(_ code: UUID, _ edit: TripEdit) throws -> TripView {
    let trip = try existingTrip(code)
    trip.details = try edit.applied(to: trip.details).validated()
    try save()
    return TripView(trip)
  }

  func delete(_ code: UUID) throws {
    modelContext.delete(try existingTrip(code))
    try save()
  }

  private func existingTrip(_ code: UUID) throws -> Trip {
    guard let trip = try modelContext.fetch(Trip.coded(code)).first else {
      throw HTTPError(.notFound, message: "The trip was deleted.")
    }
    return trip
  }

  /// Saves. If the save fails, the context discards the changes, so the next request starts without them.
  private func save() throws {
    do {
      try modelContext.save()
    } catch {
      modelContext.rollback()
      throw error
    }
  }
}
