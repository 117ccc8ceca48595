import Foundation
import SwiftData

func showStrongest(in context: ModelContext) throws {
  var strongest = FetchDescriptor<Quake>(
    sortBy: [SortDescriptor(\.magnitude, order: .reverse), SortDescriptor(\.time)])
  strongest.fetchLimit = 5
  let quakes = try context.fetch(strongest)
  print("\nThe strongest")
  quakes.forEach(printLine)
  expect(5, quakes.count, "rows")
  expect("94km SW of Muara Siberut, Indonesia", quakes[0].location.name, "is the place")
}

func showPlaces(containing text: String, in context: ModelContext) throws {
  let named = #Predicate<Quake> { $0.location.name.localizedStandardContains(text) }
  let quakes = try context.fetch(
    FetchDescriptor(predicate: named, sortBy: [SortDescriptor(\.magnitude, order: .reverse)]))
  print("\n\(quakes.count) places contain “\(text)”, first")
  quakes.prefix(3).forEach(printLine)
  expect(316, quakes.count, "places with “\(text)”")
}

func showDay(in context: ModelContext) throws {
  let start = Date(timeIntervalSince1970: 1_528_588_800)  // 10 June 2018, midnight UTC
  let end = start.addingTimeInterval(24 * 60 * 60)
  let thatDay = #Predicate<Quake> { $0.time >= start && $0.time < end }
  let quakes = try context.fetch(
    FetchDescriptor(predicate: thatDay, sortBy: [SortDescriptor(\.time)]))
  print("\n\(quakes.count) on 10 June 2018, first")
  quakes.prefix(3).forEach(printLine)
  expect(565, quakes.count, "on that day")
}

func showPages(in context: ModelContext) throws {
  print("\nPages of 50, magnitude 2.5 and more")
  var page = FetchDescriptor<Quake>(
    predicate: #Predicate { $0.magnitude >= 2.5 },
    sortBy: [SortDescriptor(\.time, order: .reverse), SortDescriptor(\.code)])
  page.fetchLimit = 50
  var sizes: [Int] = []
  while true {
    page.fetchOffset = sizes.reduce(0, +)
    let quakes = try context.fetch(page)
    guard !quakes.isEmpty else { break }
    sizes.append(quakes.count)
  }
  let full = sizes.filter { $0 == 50 }.count
  print("  \(full) full pages and \(sizes[full...].map(String.init).joined()) on the last")
  expect(1065, sizes.reduce(0, +), "in all pages")
}

func showClasses(in context: ModelContext) throws {
  print("\nMagnitude classes")
  let classes: [(name: String, range: Range<Double>)] = [
    ("below 1", -10..<1), ("1 to 2", 1..<2), ("2 to 3", 2..<3), ("3 to 4", 3..<4),
    ("4 to 5", 4..<5), ("5 and more", 5..<11),
  ]
  var counts: [Int] = []
  for (name, range) in classes {
    let (low, high) = (range.lowerBound, range.upperBound)
    let count = try context.fetchCount(
      FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude >= low && $0.magnitude < high }))
    counts.append(count)
    let bar = String(repeating: "▪", count: (count + 49) / 50)
    print("  \(name.padding(toLength: 11, withPad: " ", startingAt: 0)) \(column(count)) \(bar)")
  }
  expect([685, 1392, 2383, 137, 87, 27], counts, "in the classes")
}

private func printLine(_ quake: Quake) {
  let magnitude = quake.magnitude.formatted(.number.precision(.fractionLength(1)))
  let time = quake.time.formatted(.iso8601)
  print("  M \(magnitude)  \(time)  \(quake.location.name)")
}

private func column(_ number: Int) -> String {
  String(repeating: " ", count: max(0, 5 - String(number).count)) + String(number)
}
