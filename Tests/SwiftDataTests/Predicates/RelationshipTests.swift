import Foundation
import SwiftData
import Testing

@Suite(.databases) struct RelationshipTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func aDestinationIsComparedByItsKey() throws {
    let ann = try court.member("Ann")
    let id = ann.persistentModelID
    let nobody: Member? = nil
    try court.judge(#Predicate<Entry> { $0.owner == ann })
    try court.judge(#Predicate<Entry> { $0.owner != ann })
    try court.judge(#Predicate<Entry> { $0.owner == nobody })
    try court.judge(#Predicate<Entry> { $0.owner == nil })
    try court.judge(#Predicate<Entry> { $0.owner?.persistentModelID == id })
    try court.judge(#Predicate<Entry> { $0.owner?.persistentModelID != id })
  }

  @Test func aModelThatIsNotSavedMatchesNothing() throws {
    let stranger = Member(name: "Stranger", age: nil)
    let found = try court.context.fetchCount(
      FetchDescriptor<Entry>(predicate: #Predicate { $0.owner == stranger }))
    #expect(found == 0)
  }

  @Test func pathsAcrossToOneRelationships() throws {
    try court.judge(#Predicate<Entry> { $0.owner?.name == "Ann" })
    try court.judge(#Predicate<Entry> { $0.owner?.name != "Ann" })
    try court.judge(#Predicate<Entry> { $0.owner?.age == nil })
    try court.judge(#Predicate<Entry> { $0.owner?.leader?.name == "Ann" })
    try court.judge(#Predicate<Entry> { $0.owner?.leader == nil })
    try court.judge(#Predicate<Entry> { $0.owner?.name.contains("i") == true })
    try court.judge(#Predicate<Entry> { $0.owner?.name.contains("i") ?? true })
    try court.judge(
      #Predicate<Entry> {
        if let owner = $0.owner {
          return owner.name == "Bob" || owner.age == nil
        } else {
          return true
        }
      })
  }

  @Test func elementsOfManyToMany() throws {
    let red = try court.label("red")
    let wanted = ["red", "Blue"]
    try court.judge(#Predicate<Job> { $0.labels.contains(red) })
    try court.judge(#Predicate<Job> { !$0.labels.contains(red) })
    try court.judge(#Predicate<Job> { $0.labels.contains { $0.text == "green" } })
    try court.judge(#Predicate<Job> { $0.labels.contains { $0.maker?.name == "Ann" } })
    try court.judge(#Predicate<Job> { $0.labels.contains { wanted.contains($0.text) } })
    try court.judge(#Predicate<Job> { $0.labels.allSatisfy { $0.text != "red" } })
    try court.judge(#Predicate<Job> { $0.labels.isEmpty })
    try court.judge(#Predicate<Job> { $0.labels.isEmpty == false })
    try court.judge(#Predicate<Job> { $0.labels.count > 1 })
    try court.judge(#Predicate<Job> { $0.labels.filter { $0.text != "red" }.count == 1 })
    try court.judge(
      #Predicate<Job> { $0.labels.contains { $0.text.localizedStandardContains("RED") } })
  }

  @Test func elementsOfOneToMany() throws {
    try court.judge(#Predicate<Member> { $0.entries.contains { $0.rank > 3 } })
    try court.judge(#Predicate<Member> { $0.entries.count > 8 })
    try court.judge(#Predicate<Member> { $0.entries.allSatisfy { $0.rank < 4 } })
    try court.judge(#Predicate<Member> { !$0.entries.contains { $0.rank > 3 } })
    try court.judge(#Predicate<Member> { $0.age == 21 || $0.entries.contains { $0.rank > 3 } })
    try court.judge(#Predicate<Member> { !($0.age == 21 || $0.entries.contains { $0.rank > 3 }) })
    try court.judge(#Predicate<Member> { $0.leader?.entries.isEmpty == false })
    try court.judge(
      #Predicate<Label> { label in
        label.jobs.contains { $0.labels.contains { $0.text == "red" } }
      })
    try court.judge(
      #Predicate<Label> { label in
        !label.jobs.contains { $0.rank < 0 && !$0.labels.contains { $0.text == "red" } }
      })
    try court.judge(
      #Predicate<Job> { job in
        job.labels.contains { label in
          label.jobs.contains { $0.name == job.name && $0.rank > job.rank }
        }
      })
  }
}
