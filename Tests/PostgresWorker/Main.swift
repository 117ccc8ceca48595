import Foundation
import SwiftData
import SwiftDataPostgres
import Synchronization

/// Another process for tests of several writers on one PostgreSQL database.
///
/// - `prepare <address>`: creates the tables, and the models that all clients use.
/// - `write <address> <seconds> <clients> <seed>`: clients on threads of their own write at random, and
///   print what was committed.
/// - `insert <address> <seconds> <clients>`, `update …`, `delete …`: each client saves one new model, one
///   change of a model of its own, or one deletion, again and again. `alone` inserts in transactions of
///   the context, which exclude other writers. Prints the number of saves in a second.
@main
struct PostgresWorker {
  static func main() throws {
    let arguments = CommandLine.arguments
    var configuration = try PostgresConfiguration(url: arguments[2])
    configuration.connections = 16
    configuration.statementTimeout = .seconds(20)
    let container = try ModelContainer(
      for: Account.self, Tag.self, Owner.self, Item.self, Box.self, Marble.self, Club.self,
      Person.self, configurations: configuration)
    if arguments[1] == "prepare" { return try Client.prepare(container) }
    let report = Report()
    let end = Date(timeIntervalSinceNow: Double(arguments[3]) ?? 1)
    let count = Int(arguments[4]) ?? 1
    let seed = arguments.count > 5 ? UInt64(arguments[5]) ?? 0 : 0
    let steps = Mutex(0)
    let start = Date()
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        var done = 0
        if arguments[1] == "write" {
          var client = Client(container, report, seed: seed &* 1_000 &+ UInt64(number))
          while Date() < end {
            client.step()
            done += 1
          }
        } else {
          done = measure(arguments[1], container, until: end)
        }
        steps.withLock { $0 += done }
        group.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
    let total = steps.withLock { $0 }
    let seconds = Date().timeIntervalSince(start)
    report.print("done \(total) \(Int(Double(total) / seconds))")
  }

  private static func measure(
    _ work: String, _ container: ModelContainer, until end: Date
  ) -> Int {
    var done = 0
    do {
      let context = ModelContext(container)
      let own = Item(number: 0)
      if work == "update" {
        context.insert(own)
        try context.save()
      }
      var items: [Item] = []
      while Date() < end {
        switch work {
        case "insert": context.insert(Item(number: done))
        case "alone": try context.transaction { context.insert(Item(number: done)) }
        case "update": own.number += 1
        default:
          if items.isEmpty {
            items = (0..<50).map { Item(number: $0) }
            for item in items { context.insert(item) }
            try context.save()
          }
          context.delete(items.removeLast())
        }
        try context.save()
        done += 1
      }
    } catch {
      print("error \(error)")
    }
    return done
  }
}

/// Prints whole lines, at once: the process may be killed.
final class Report: Sendable {
  private let lock = Mutex(())

  func print(_ line: String) {
    lock.withLock { _ in
      let bytes = Array((line + "\n").utf8)
      _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
  }
}
