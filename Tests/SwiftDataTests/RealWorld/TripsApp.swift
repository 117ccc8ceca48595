import Foundation
import SwiftData
import Testing

/// Planned journeys: the forms of predicates that Apple's documentation, sample apps and talks
/// show, each a test by its name.
enum TripsApp {
  @Model class Trip {
    #Index<Trip>([\.name], [\.startDate])
    var name: String
    var destination: String
    var startDate: Date
    var endDate: Date
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
    var bucketList: [BucketListItem] = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    var livingAccommodation: LivingAccommodation?

    init(name: String, destination: String, start: Double, days: Double) {
      self.name = name
      self.destination = destination
      startDate = Date(timeIntervalSinceReferenceDate: start * 86_400)
      endDate = Date(timeIntervalSinceReferenceDate: (start + days) * 86_400)
    }
  }

  @Model final class PersonalTrip: Trip {
    enum Reason: String, Codable, CaseIterable { case family, reunion, wellness, unknown }

    var reason: Reason

    init(name: String, destination: String, start: Double, days: Double, reason: Reason) {
      self.reason = reason
      super.init(name: name, destination: destination, start: start, days: days)
    }
  }

  @Model final class BusinessTrip: Trip {
    var perDiem: Double

    init(name: String, destination: String, start: Double, days: Double, perDiem: Double) {
      self.perDiem = perDiem
      super.init(name: name, destination: destination, start: start, days: days)
    }
  }

  @Model final class BucketListItem {
    var title: String
    var isInPlan: Bool
    var trip: Trip?

    init(title: String, isInPlan: Bool) {
      self.title = title
      self.isInPlan = isInPlan
    }
  }

  @Model final class LivingAccommodation {
    var placeName: String
    var isConfirmed: Bool
    var trip: Trip?

    init(placeName: String, isConfirmed: Bool) {
      self.placeName = placeName
      self.isConfirmed = isConfirmed
    }
  }
}

@Suite(.databases) struct DocumentedPredicateTests {
  typealias Trip = TripsApp.Trip

  let context: ModelContext
  let today = Date(timeIntervalSinceReferenceDate: 50 * 86_400)

  init() throws {
    let container = try ModelContainer(
      for: Trip.self, TripsApp.PersonalTrip.self, TripsApp.BusinessTrip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    let trips: [Trip] = [
      TripsApp.PersonalTrip(
        name: "Grandma", destination: "Málaga", start: 10, days: 5, reason: .family),
      TripsApp.PersonalTrip(
        name: "Spa", destination: "Budapest", start: 60, days: 2, reason: .wellness),
      TripsApp.BusinessTrip(
        name: "Fair", destination: "Berlin", start: 49, days: 3, perDiem: 80),
      TripsApp.BusinessTrip(name: "Audit", destination: "Oslo", start: 90, days: 1, perDiem: 0),
      Trip(name: "Somewhere", destination: "Bern", start: 70, days: 9),
    ]
    for (index, trip) in trips.enumerated() {
      context.insert(trip)
      trip.bucketList = (0..<index).map {
        TripsApp.BucketListItem(title: "item \($0)", isInPlan: $0 % 2 == 0)
      }
      if index % 2 == 0 {
        trip.livingAccommodation = TripsApp.LivingAccommodation(
          placeName: "Hotel \(trip.destination)", isConfirmed: index == 2)
      }
    }
    try context.save()
  }

  private func names(_ predicate: Predicate<Trip>?) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.startDate)]))
      .map(\.name)
  }

  @Test func upcomingTripsTheNearestFirst() throws {
    let now = today
    var upcoming = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.startDate > now },
      sortBy: [.init(\.startDate)])
    upcoming.fetchLimit = 2
    upcoming.includePendingChanges = true
    #expect(try context.fetch(upcoming).map(\.name) == ["Spa", "Somewhere"])
  }

  @Test func aSearchFieldAndADateTheFieldMayBeEmpty() throws {
    func predicate(searchText: String, searchDate: Date) -> Predicate<Trip> {
      let start = searchDate
      let end = searchDate.addingTimeInterval(30 * 86_400)
      return #Predicate<Trip> { trip in
        (searchText.isEmpty || trip.destination.contains(searchText))
          && (trip.startDate > start && trip.startDate < end)
      }
    }
    #expect(try names(predicate(searchText: "", searchDate: today)) == ["Spa", "Somewhere"])
    #expect(try names(predicate(searchText: "Be", searchDate: today)) == ["Somewhere"])
  }

  @Test func aSearchInTwoPropertiesByATernary() throws {
    func predicate(_ searchText: String) -> Predicate<Trip> {
      #Predicate { trip in
        searchText.isEmpty
          ? true
          : trip.name.localizedStandardContains(searchText)
            || trip.destination.localizedStandardContains(searchText)
      }
    }
    #expect(try names(predicate("")).count == 5)
    #expect(try names(predicate("malaga")) == ["Grandma"])
    #expect(try names(predicate("S")).sorted() == ["Audit", "Somewhere", "Spa"])
  }

  @Test func theTripThatLastsBetweenTwoDates() throws {
    let now = today
    #expect(
      try names(#Predicate { trip in trip.startDate <= now && trip.endDate >= now }) == ["Fair"])
  }

  @Test func aPredicateAboutARelationshipThatMayBeMissing() throws {
    #expect(try names(#Predicate { $0.livingAccommodation == nil }) == ["Spa", "Audit"])
    #expect(
      try names(#Predicate { $0.livingAccommodation?.isConfirmed == true }) == ["Fair"])
    #expect(
      try names(#Predicate { $0.livingAccommodation?.placeName == "Hotel Bern" })
        == ["Somewhere"])
    #expect(
      try names(
        #Predicate { trip in
          if let place = trip.livingAccommodation {
            return !place.isConfirmed
          } else {
            return false
          }
        }) == ["Grandma", "Somewhere"])
  }

  @Test func anExpressionThatCountsAskedByAPredicate() throws {
    let unplanned = #Expression<[TripsApp.BucketListItem], Int> { items in
      items.filter { !$0.isInPlan }.count
    }
    let now = today
    let predicate = #Predicate<Trip> { trip in
      unplanned.evaluate(trip.bucketList) > 0 && trip.endDate > now
    }
    #expect(try names(predicate) == ["Fair", "Somewhere", "Audit"])
  }

  @Test func onlyOneClassOfAHierarchy() throws {
    #expect(try names(#Predicate { $0 is TripsApp.PersonalTrip }) == ["Grandma", "Spa"])
    #expect(
      try names(#Predicate { $0 is TripsApp.BusinessTrip || $0 is TripsApp.PersonalTrip }).count
        == 4)
  }

  @Test func aPropertyOfASubclass() throws {
    let wellness = TripsApp.PersonalTrip.Reason.wellness
    #expect(
      try names(
        #Predicate { trip in
          if let personal = trip as? TripsApp.PersonalTrip {
            personal.reason == wellness
          } else {
            false
          }
        }) == ["Spa"])
    #expect(
      try names(#Predicate { ($0 as? TripsApp.BusinessTrip)?.perDiem ?? 0 > 50 }) == ["Fair"])
    let family = FetchDescriptor<TripsApp.PersonalTrip>(
      predicate: #Predicate { $0.reason == .family && $0.name == "Grandma" })
    #expect(try context.fetchCount(family) == 1)
  }

  @Test func aClassFilterAndASearchPutTogether() throws {
    let ofClass: Predicate<Trip> = #Predicate { $0 is TripsApp.PersonalTrip }
    let search: Predicate<Trip> = #Predicate { $0.destination.contains("u") }
    let both = #Predicate<Trip> { trip in ofClass.evaluate(trip) && search.evaluate(trip) }
    #expect(try names(both) == ["Spa"])
    #expect(try names(Predicate(all: [ofClass, search])) == ["Spa"])
    #expect(try names(Predicate(any: [search, .false])) == ["Spa"])
    #expect(try names(.true).count == 5)
  }

  @Test func elementsOfARelationship() throws {
    #expect(
      try names(#Predicate { $0.bucketList.contains { $0.title == "item 3" } }) == ["Somewhere"])
    #expect(
      try names(#Predicate { $0.bucketList.allSatisfy { $0.isInPlan } }) == ["Grandma", "Spa"])
    #expect(try names(#Predicate { $0.bucketList.isEmpty == false }).count == 4)
    #expect(try names(#Predicate { $0.bucketList.count > 2 }) == ["Somewhere", "Audit"])
    #expect(
      try names(
        #Predicate { $0.bucketList.contains { $0.title.localizedStandardContains("ITEM 2") } })
        == ["Somewhere", "Audit"])
  }

  @Test func whatIsDeletedAtOnce() throws {
    let now = today
    try context.delete(model: Trip.self, where: #Predicate { $0.endDate < now })
    #expect(try names(nil) == ["Fair", "Spa", "Somewhere", "Audit"])
    try context.delete(
      model: Trip.self, where: #Predicate { $0.startDate > now }, includeSubclasses: false)
    #expect(try names(nil) == ["Fair", "Spa", "Audit"])
  }

  @Test func aModelByItsIdentifier() throws {
    let spa = try #require(try context.fetch(FetchDescriptor<Trip>()).first { $0.name == "Spa" })
    let identifier = spa.persistentModelID
    #expect(try names(#Predicate { $0.persistentModelID == identifier }) == ["Spa"])
    #expect(try names(#Predicate { $0 == spa }) == ["Spa"])
    let items = FetchDescriptor<TripsApp.BucketListItem>(
      predicate: #Predicate { $0.trip?.persistentModelID == identifier })
    #expect(try context.fetchCount(items) == 1)
  }
}
