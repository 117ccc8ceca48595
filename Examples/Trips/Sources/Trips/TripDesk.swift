import Foundation
import SwiftData
import TripModels

/// Answers requests. All its work is done on one actor with a context of its own.
@ModelActor
actor TripDesk {
  func trips() throws -> [TripView] {
    try modelContext.fetch(Trip.all).map(TripView.init)
  }

  func add(_ details: TripDetails) throws -> TripView {
    let trip = Trip(details)
    modelContext.insert(trip)
    try save()
    return TripView(trip)
  }

  /// `nil` where there is no such trip.
  func edit(_ code: UUID, _ details: TripDetails) throws -> TripView? {
    guard let trip = try modelContext.fetch(Trip.coded(code)).first else { return nil }
    trip.details = details
    try save()
    return TripView(trip)
  }

  /// Whether there was such a trip.
  func delete(_ code: UUID) throws -> Bool {
    guard let trip = try modelContext.fetch(Trip.coded(code)).first else { return false }
    modelContext.delete(trip)
    try save()
    return true
  }

  /// Saves, or leaves nothing of a failed save behind for the next request.
  private func save() throws {
    do {
      try modelContext.save()
    } catch {
      modelContext.rollback()
      throw error
    }
  }
}
