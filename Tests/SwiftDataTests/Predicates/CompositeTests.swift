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

  @Test func whatIsStoredWholeStaysInMemory() throws {
    try court.judge(#Predicate<Job> { $0.words == ["a"] }, inMemory: true)
    try court.judge(#Predicate<Job> { $0.words == ["a"] && $0.isUrgent }, inMemory: true)
    try court.judge(#Predicate<Job> { $0.words == ["a"] || $0.isUrgent }, inMemory: true)
  }
}
