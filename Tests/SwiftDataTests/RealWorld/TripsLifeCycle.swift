import Foundation
import SwiftData
import Testing

/// Planned journeys from the first idea to the deletion: what the app does besides its searches.
@Suite(.databases) struct TripsLifeCycleTests {
  typealias Trip = TripsApp.Trip
  typealias Item = TripsApp.BucketListItem
  typealias Accommodation = TripsApp.LivingAccommodation

  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Trip.self, TripsApp.PersonalTrip.self, TripsApp.BusinessTrip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func plannedTrip(_ name: String = "Lofoten") throws -> Trip {
    let trip = TripsApp.PersonalTrip(
      name: name, destination: "Norway", start: 60, days: 7, reason: .wellness)
    context.insert(trip)
    trip.bucketList = ["See the aurora", "Row to the island", "Eat stockfish"].map {
      Item(title: $0, isInPlan: false)
    }
    trip.livingAccommodation = Accommodation(placeName: "Red cabin", isConfirmed: false)
    try context.save()
    return trip
  }

  private func counts(in context: ModelContext) throws -> [Int] {
    [
      try context.fetchCount(FetchDescriptor<Trip>()),
      try context.fetchCount(FetchDescriptor<Item>()),
      try context.fetchCount(FetchDescriptor<Accommodation>()),
    ]
  }

  @Test func anItemOfTheBucketListIsAddedPlannedAndCrossedOff() throws {
    let trip = try plannedTrip()
    let item = Item(title: "Climb the ridge", isInPlan: false)
    context.insert(item)
    item.trip = trip
    #expect(trip.bucketList.contains { $0 === item })
    item.isInPlan = true
    try context.save()
    let open = FetchDescriptor<Item>(
      predicate: #Predicate { !$0.isInPlan && $0.trip?.name == "Lofoten" })
    #expect(try ModelContext(container).fetchCount(open) == 3)
    let aurora = try #require(trip.bucketList.first { $0.title == "See the aurora" })
    context.delete(aurora)
    try context.save()
    #expect(trip.bucketList.count == 3 && !trip.bucketList.contains { $0 === aurora })
    #expect(try counts(in: ModelContext(container)) == [1, 3, 1])
  }

  @Test func aNewAccommodationTakesThePlaceOfTheOldOne() throws {
    let trip = try plannedTrip()
    let cabin = try #require(trip.livingAccommodation)
    let hotel = Accommodation(placeName: "Hotel at the pier", isConfirmed: true)
    trip.livingAccommodation = hotel
    #expect(cabin.trip == nil && hotel.trip === trip)
    context.delete(cabin)
    try context.save()
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(stored.livingAccommodation?.placeName == "Hotel at the pier")
    #expect(try counts(in: ModelContext(container)) == [1, 3, 1])
  }

  @Test func aDeletedTripTakesItsItemsAndItsAccommodationAlong() throws {
    let trip = try plannedTrip()
    _ = try plannedTrip("Oslo")
    context.delete(trip)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    try context.save()
    #expect(try counts(in: context) == [1, 3, 1])
    #expect(try counts(in: ModelContext(container)) == [1, 3, 1])
    let left = try context.fetch(FetchDescriptor<Item>())
    #expect(left.allSatisfy { $0.trip?.name == "Oslo" })
  }

  @Test func theDeletionOfATripIsUndoneWithAllThatWentAlong() throws {
    let trip = try plannedTrip()
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(trip)
    try context.save()
    #expect(try counts(in: ModelContext(container)) == [0, 0, 0])
    manager.undo()
    #expect(!trip.isDeleted && trip.modelContext === context)
    #expect(trip.bucketList.count == 3)
    #expect(trip.livingAccommodation?.placeName == "Red cabin")
    try context.save()
    let stored = try #require(
      try ModelContext(container).fetch(FetchDescriptor<TripsApp.PersonalTrip>()).first)
    #expect(stored.reason == .wellness && stored.bucketList.count == 3)
    #expect(stored.livingAccommodation?.trip === stored)
    manager.redo()
    try context.save()
    #expect(try counts(in: ModelContext(container)) == [0, 0, 0])
  }

  /// Another context, of a widget or an importer, confirms the accommodation and adds a trip. Those
  /// trips are unread until the app has shown them.
  @Test func changesOfAnotherContextAreUnreadUntilTheyAreShown() throws {
    let trip = try plannedTrip()
    let cabin = try #require(trip.livingAccommodation)
    var shown = Set(try context.fetchIdentifiers(FetchDescriptor<Trip>()))
    let unread = UnreadTrips()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { unread.note($0) }
    defer { NotificationCenter.default.removeObserver(observer) }

    let widget = ModelContext(container)
    widget.author = "widget"
    unread.source = widget
    let same = try #require(
      try widget.fetch(FetchDescriptor<Accommodation>()).first)
    same.isConfirmed = true
    let surprise = Trip(name: "Surprise", destination: "Tromsø", start: 90, days: 2)
    widget.insert(surprise)
    try widget.save()

    #expect(unread.identifiers == [surprise.persistentModelID])
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)]))
    #expect(trips.map { shown.contains($0.persistentModelID) } == [true, false])
    #expect(cabin.isConfirmed && trip.livingAccommodation === cabin)
    #expect(!context.hasChanges)
    shown.formUnion(trips.map(\.persistentModelID))
    #expect(unread.identifiers.subtracting(shown).isEmpty)
  }
}

/// The trips that one context has saved, by its notifications.
private final class UnreadTrips: @unchecked Sendable {
  /// The context and its notifications are on the thread of the test.
  var source: ModelContext?
  private(set) var identifiers: Set<PersistentIdentifier> = []

  func note(_ notification: Notification) {
    guard let context = notification.object as? ModelContext, context === source else { return }
    let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
    let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
    identifiers.formUnion(inserted.filter { $0.entityName == "Trip" })
  }
}
