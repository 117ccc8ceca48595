import Foundation
import SwiftData
import Testing

@Suite(.databases) struct CompositeTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func leavesAtAnyDepth() throws {
    try court.judge(#Predicate<Job> { $0.place.street == "Main" })
    try court.judge(#Predicate<Job> { $0.place.zip == nil })
    try court.judge(#Predicate<Job> { $0.place.zip != 1001 })
    try court.judge(#Predicate<Job> { $0.place.position.latitude > 20 })
    try court.judge(#Predicate<Job> { $0.place.position.longitude == 1.25 })
  }

  @Test func wholeValues() throws {
    let job = try court.jobs()[2]
    let (place, position, site) = (job.place, job.place.position, job.site)
    try court.judge(#Predicate<Job> { $0.place == place })
    try court.judge(#Predicate<Job> { $0.place != place })
    try court.judge(#Predicate<Job> { $0.place.position == position })
    try court.judge(#Predicate<Job> { $0.site == site })
    try court.judge(#Predicate<Job> { $0.site == nil })
  }

  @Test func throughAnOptional() throws {
    try court.judge(#Predicate<Job> { $0.site?.zip == 7 })
    try court.judge(#Predicate<Job> { $0.site?.street != "Site" })
    try court.judge(#Predicate<Job> { $0.site?.position.longitude == nil })
  }

  @Test func besideAnOptional() throws {
    try court.judgeNarrowing(
      #Predicate<Job> { job in job.site.map { site in job.isUrgent } == true })
    try court.judgeNarrowing(
      #Predicate<Job> { job in
        if let site = job.site { job.isUrgent && site.zip != 6 } else { false }
      })
    try court.judgeNarrowing(
      #Predicate<Job> { job in job.site.map { site in job.name } == "alpha" })
    try court.judgeNarrowing(
      #Predicate<Job> { job in (job.site.map { site in job.rank } ?? 100) == 100 })
  }

  struct Phone: Codable, Equatable {
    var home: String?
    var work: String?
  }

  struct Contact: Codable, Equatable {
    var name: String
    var phone = Phone()
    var spare: Phone?
  }

  @Model final class Person {
    var phone: Phone
    var contact: Contact
    var emergency: Contact?
    @Relationship(inverse: \Pet.owner) var pets: [Pet] = []

    init(_ phone: Phone, _ contact: Contact, emergency: Contact? = nil) {
      self.phone = phone
      self.contact = contact
      self.emergency = emergency
    }
  }

  @Model final class Pet {
    var owner: Person?

    init(_ owner: Person?) { self.owner = owner }
  }

  /// A structure whose members are all optional has empty columns without being nil.
  @Test func requiredPartsWithoutValues() throws {
    let (none, full) = (Phone(), Phone(home: "1", work: nil))
    let court = try PredicateCourt(types: [Person.self, Pet.self]) { context in
      let people = [
        Person(none, Contact(name: "a", spare: full)),
        Person(full, Contact(name: "b", phone: full), emergency: Contact(name: "c")),
        Person(none, Contact(name: "d", phone: full), emergency: Contact(name: "e", spare: full)),
        Person(none, Contact(name: "f", spare: full), emergency: Contact(name: "g", phone: full)),
        Person(full, Contact(name: "h")),
      ]
      for person in people { context.insert(person) }
      for person in people + [nil] { context.insert(Pet(person)) }
      try context.save()
    }
    try court.judgeNarrowing(#Predicate<Person> { $0.phone == none })
    try court.judgeNarrowing(#Predicate<Person> { $0.contact.phone == none })
    try court.judgeNarrowing(#Predicate<Person> { $0.contact.phone != none })
    try court.judgeNarrowing(#Predicate<Person> { $0.contact.phone == full })
    try court.judgeNarrowing(#Predicate<Person> { $0.contact.spare == nil })
    try court.judgeNarrowing(#Predicate<Person> { $0.contact.spare != full })
    try court.judgeNarrowing(#Predicate<Person> { $0.emergency?.phone == nil })
    try court.judgeNarrowing(#Predicate<Person> { $0.emergency?.phone == none })
    try court.judgeNarrowing(#Predicate<Person> { $0.emergency?.phone != none })
    try court.judgeNarrowing(#Predicate<Person> { $0.emergency?.spare == nil })
    try court.judgeNarrowing(#Predicate<Person> { $0.phone == $0.contact.phone })
    try court.judgeNarrowing(#Predicate<Person> { $0.emergency?.phone == $0.phone })
    try court.judgeNarrowing(#Predicate<Person> { $0.emergency?.phone == $0.contact.spare })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.phone == nil })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.phone != nil })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.phone == none })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.contact.phone == nil })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.contact.phone == none })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.emergency?.phone == nil })
    try court.judgeNarrowing(#Predicate<Pet> { $0.owner?.emergency?.phone == none })
    let phones = [none, full]
    try court.judge(#Predicate<Person> { phones.contains($0.contact.phone) })
  }

  @Test func whatIsStoredWholeStaysInMemory() throws {
    try court.judge(#Predicate<Job> { $0.words == ["a"] }, inMemory: true)
    try court.judge(#Predicate<Job> { $0.words == ["a"] && $0.isUrgent }, inMemory: true)
    try court.judge(#Predicate<Job> { $0.words == ["a"] || $0.isUrgent }, inMemory: true)
  }
}
