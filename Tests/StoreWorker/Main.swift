import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization

/// A second process for tests of crashes and of shared files.
///
/// - `chain <store> <count> <size>`: saves batches of linked models, changes the one before and deletes
///   an older one in the same save, and prints the number of each save once it is done. Tests kill it
///   in the middle.
/// - `prune <store> <count> <size>`: the same in a store that keeps the history of three saves.
/// - `increment <store> <times>`: adds rows one save at a time, beside another process.
///
/// - `settle <store> <count>`: adds rows to the main context and leaves them to autosave, which it
///   awaits.
/// - `leave <store> <count>`: ends without awaiting it.
/// - `read <store>`: opens the store to read and prints how many rows there are, or the error.
/// - `follow <store>`: opens the store to read and prints how many rows there are, again, or the error, for each line of its input.
///   After the line `snapshot` it prints that number, and after the next line in the same snapshot the number or the
///   error.
/// - `describe <store>`: opens the store to read and prints how often the opening has read the complete
///   description of the file, or the error.
///
/// - `negatives <store> <count> <size>`: saves negatives with large values one by one, gives the one before
///   another value and deletes an older one in the same save, and prints the number of each save.
/// - `stream <store> <count> <size>`: saves negatives one by one, reads all of them, and prints by how many
///   bytes its memory grew at most in each part.
/// - `pulse <store> <count> <milliseconds>`: changes one parcel after each pause, and prints when each save was
///   done.
/// - `idle <store> <seconds>`: observes the store and prints the milliseconds of processor time that it takes.
/// - `edits <store> <seconds> <seed>`: inserts, changes, links and deletes at random, and prints how many saves
///   it made.
/// - `pairs <store> <seconds> <seed>`: inserts and deletes pairs of parcels with one index beside other processes,
///   observes them, and prints how often its results changed, how many results had a parcel without its
///   pair, and the last results.
/// - `die <folder> <step>`: saves to two stores, and kills itself at a step of the save.
/// - `migrate <store>`: opens a store of crates with the models of the next version, and prints the number
///   of crates and of runs of the stage, or the error.
/// - `backup <store> <copy> <step>`: backs a store of negatives up, and kills itself after the first or the
///   last pages (`first`, `last`).
/// - `steps <store>`: makes the steps that it reads from its input, and prints an answer to each.
///
/// The store `-` is the default one.
@main
struct StoreWorker {
  @MainActor static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments[1] == "die" {
      return try DyingSave.run(URL(fileURLWithPath: arguments[2]), at: arguments[3])
    }
    if arguments[1] == "backup" {
      return try await BackupWork.run(
        URL(fileURLWithPath: arguments[2]), to: URL(fileURLWithPath: arguments[3]),
        until: arguments[4])
    }
    if arguments[1] == "read" { return read(URL(fileURLWithPath: arguments[2])) }
    if arguments[1] == "follow" { return try follow(URL(fileURLWithPath: arguments[2])) }
    if arguments[1] == "describe" { return describe(URL(fileURLWithPath: arguments[2])) }
    if arguments[1] == "steps" { return try StepWork.run(URL(fileURLWithPath: arguments[2])) }
    if arguments[1] == "migrate" { return MigrationWork.run(URL(fileURLWithPath: arguments[2])) }
    var configuration =
      arguments[2] == "-"
      ? ModelConfiguration() : ModelConfiguration(url: URL(fileURLWithPath: arguments[2]))
    if arguments[1] == "prune" {
      configuration.historyRetention = HistoryRetention(maximumCount: 3)
    }
    let count = Int(arguments[3]) ?? 1
    if let work = NegativeWork(arguments[1]) {
      let container = try ModelContainer(for: Negative.self, configurations: configuration)
      return try work.run(container, count, size: Int(arguments[4]) ?? 1)
    }
    let container = try ModelContainer(
      for: Batch.self, Parcel.self, configurations: configuration)
    if let work = RemoteWork(rawValue: arguments[1]) {
      return try work.run(container, count, arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1)
    }
    switch arguments[1] {
    case "chain", "prune": try saveChain(container, count, size: Int(arguments[4]) ?? 1)
    case "increment": try addRows(container, count)
    case "settle", "leave":
      for index in 0..<count { container.mainContext.insert(Parcel(index: index)) }
      if arguments[1] == "settle" { try await container.settle() } else { exit(0) }
    default: break
    }
  }

  private static func read(_ store: URL) {
    do {
      print(try ModelContext(openToRead(store)).fetchCount(FetchDescriptor<Parcel>()))
    } catch {
      print(error)
    }
  }

  private static func follow(_ store: URL) throws {
    let context = ModelContext(try openToRead(store))
    func answer(_ text: Any) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
    func count() throws -> Int { try context.fetchCount(FetchDescriptor<Parcel>()) }
    answer(try count())
    while let line = readLine() {
      do {
        guard line == "snapshot" else {
          answer(try count())
          continue
        }
        try context.snapshot {
          answer(try count())
          _ = readLine()
          answer(try count())
        }
      } catch {
        answer(error)
      }
    }
  }

  private static func describe(_ store: URL) {
    let count = Mutex(0)
    do {
      _ = try StoredSchema.$willReadAll.withValue({ count.withLock { $0 += 1 } }) {
        try openToRead(store)
      }
      print(count.withLock { $0 })
    } catch {
      print(error)
    }
  }

  private static func openToRead(_ store: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Batch.self, Parcel.self,
      configurations: ModelConfiguration(url: store, allowsSave: false))
  }

  private static func saveChain(_ container: ModelContainer, _ count: Int, size: Int) throws {
    let context = ModelContext(container)
    var batches: [Batch] = []
    for number in 1...count {
      let batch = Batch(number: number, size: size)
      context.insert(batch)
      for index in 0..<size { batch.members.append(Parcel(index: index)) }
      for parcel in batches.last?.members ?? [] { parcel.text = "before \(number)" }
      batches.append(batch)
      if batches.count > 2 { context.delete(batches.removeFirst()) }
      try context.save()
      FileHandle.standardOutput.write(Data("saved \(number)\n".utf8))
    }
  }

  private static func addRows(_ container: ModelContainer, _ count: Int) throws {
    let context = ModelContext(container)
    for index in 0..<count {
      context.insert(Parcel(index: index))
      try context.save()
    }
  }
}
