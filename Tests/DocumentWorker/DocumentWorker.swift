import Foundation
import SwiftData
import SwiftDataStores

@Model
final class Entry {
  var writer: String
  var number: Int
  var counter: Counter?

  init(writer: String, number: Int) {
    self.writer = writer
    self.number = number
  }
}

@Model
final class Counter {
  @Attribute(.unique) var name: String
  var count = 0
  var entries: [Entry] = []

  init(_ name: String) { self.name = name }
}

/// A second process for tests of shared documents: `<file> <writer> <count> <size>` saves that many entries one by
/// one, adds them to the counter of the writer, and prints the number of each when it is saved. `measure` is another program (`Measurement`).
@main
struct DocumentWorker {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments[1] == "measure" {
      return try Measurement.run(
        URL(fileURLWithPath: arguments[2]), arguments.dropFirst(3).compactMap { Int($0) })
    }
    let (file, writer) = (URL(fileURLWithPath: arguments[1]), arguments[2])
    let (count, size) = (Int(arguments[3]) ?? 1, Int(arguments[4]) ?? 0)
    let container = try ModelContainer(
      for: Schema([Entry.self, Counter.self]),
      configurations: [JSONStoreConfiguration(url: file, lockTimeout: .seconds(60))])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let counter = Counter(writer)
    context.insert(counter)
    try context.save()
    for number in 0..<count {
      let entry = Entry(writer: writer + String(repeating: "-", count: size), number: number)
      context.insert(entry)
      entry.counter = counter
      counter.count += 1
      try context.save()
      FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
  }
}
