import Foundation
import SwiftData
import Testing

@Suite(.databases) struct FetchDescriptorTests {
  private func descriptor(_ name: String) -> FetchDescriptor<Named.Trip> {
    FetchDescriptor(predicate: #Predicate { $0.name == name }, sortBy: [SortDescriptor(\.name)])
  }

  @Test func defaultsFetchEverythingAsItIs() {
    let all = FetchDescriptor<Named.Trip>()
    #expect(all.predicate == nil)
    #expect(all.sortBy.isEmpty)
    #expect(all.fetchLimit == nil)
    #expect(all.includePendingChanges)
  }

  @Test func descriptorsAreEqualWhenTheyFetchTheSame() {
    #expect(descriptor("a") == descriptor("a"))
    #expect(descriptor("a") != descriptor("b"))
    #expect(descriptor("a") != FetchDescriptor())
    var limited = descriptor("a")
    limited.fetchLimit = 1
    #expect(limited != descriptor("a"))
    var prefetching = descriptor("a")
    prefetching.propertiesToFetch = [\.name]
    #expect(prefetching != descriptor("a"))
  }

  /// Foundation prints only predicates of its own nodes.
  @Test func predicatesWithNodesOfTheLibraryAreCompared() {
    func descriptor(_ prefix: String, _ count: Int) -> FetchDescriptor<Named.Trip> {
      FetchDescriptor(
        predicate: #Predicate { $0.name.hasPrefix(prefix) && $0.name.count + 1 > count })
    }
    #expect(descriptor("a", 1) == descriptor("a", 1))
    #expect(descriptor("a", 1) != descriptor("b", 1))
    #expect(descriptor("a", 1) != descriptor("a", 2))
  }

  /// Foundation describes dates by whole seconds, and data by its length.
  @Test func capturedValuesWithTheSameDescriptionAreCompared() {
    func until(_ date: Date) -> FetchDescriptor<Job> {
      FetchDescriptor(predicate: #Predicate { $0.due == date })
    }
    func among(_ dates: [Date?]) -> FetchDescriptor<Job> {
      FetchDescriptor(predicate: #Predicate { dates.contains($0.due) })
    }
    func inside(_ jobs: Predicate<Job>) -> FetchDescriptor<Job> {
      FetchDescriptor(predicate: #Predicate { jobs.evaluate($0) })
    }
    func holding(_ data: Data?) -> FetchDescriptor<Job> {
      FetchDescriptor(predicate: #Predicate { $0.bytes! == data! })
    }
    func scoring(_ number: Double) -> FetchDescriptor<Job> {
      FetchDescriptor(predicate: #Predicate { $0.score == number })
    }
    func predicate(_ date: Date) -> Predicate<Job> { #Predicate { $0.due == date } }
    let (date, later) = (
      Date(timeIntervalSinceReferenceDate: 5), Date(timeIntervalSinceReferenceDate: 5.5)
    )
    #expect(until(date) == until(date))
    #expect(until(date) != until(later))
    #expect(among([date, later]) == among([date, later]))
    #expect(among([date, later]) != among([date, date]))
    #expect(holding(Data([1, 2])) == holding(Data([1, 2])))
    #expect(holding(Data([1, 2])) != holding(Data([2, 1])))
    #expect(scoring(.nan) == scoring(.nan))
    #expect(inside(predicate(date)) == inside(predicate(date)))
    #expect(inside(predicate(date)) != inside(predicate(later)))
  }
}
