import Foundation
import SwiftData
import SwiftDataStores

/// Prints what saves and fetches of a document cost, for some numbers of rows:
/// `OpenSwiftDataDocumentWorker measure <folder> <rows> …`.
enum Measurement {
  static func run(_ folder: URL, _ counts: [Int]) throws {
    print("   rows       size     insert       open      fetch      query       save")
    for count in counts {
      let url = folder.appending(path: "\(count).json")
      let open = {
        try ModelContainer(
          for: Schema([Entry.self, Counter.self]),
          configurations: [JSONStoreConfiguration(url: url)])
      }
      let context = ModelContext(try open())
      context.autosaveEnabled = false
      let counter = Counter("counter")
      context.insert(counter)
      for number in 0..<count {
        let entry = Entry(writer: "A text of some length, number \(number)", number: number)
        context.insert(entry)
        entry.counter = counter
      }
      let insert = try milliseconds { try context.save() }
      let opening = try milliseconds { _ = try open() }
      let container = try open()
      let fetch = try milliseconds {
        _ = try ModelContext(container).fetch(FetchDescriptor<Entry>())
      }
      let reader = ModelContext(container)
      let descriptor = FetchDescriptor<Entry>(predicate: #Predicate { $0.number == 7 })
      _ = try reader.fetch(descriptor)
      var found: [Entry] = []
      let query = try milliseconds { found = try reader.fetch(descriptor) }
      found[0].writer = "another"
      let save = try milliseconds { try reader.save() }
      let size = try Data(contentsOf: url).count
      print(
        String(
          format: "%7d %7d kB %7.1f ms %7.1f ms %7.1f ms %7.1f ms %7.1f ms", count, size / 1000,
          insert, opening, fetch, query, save))
    }
  }

  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }
}
