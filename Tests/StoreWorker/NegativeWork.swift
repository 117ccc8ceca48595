import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// What the process does with negatives.
enum NegativeWork {
  case chain, stream

  init?(_ verb: String) {
    switch verb {
    case "negatives": self = .chain
    case "stream": self = .stream
    default: return nil
    }
  }

  func run(_ container: ModelContainer, _ count: Int, size: Int) throws {
    switch self {
    case .chain: try saveChain(ModelContext(container), count, size)
    case .stream:
      try save(ModelContext(container), count, size)
      try read(ModelContext(container), count, size)
    }
  }

  private func saveChain(_ context: ModelContext, _ count: Int, _ size: Int) throws {
    var negatives: [Negative] = []
    for number in 1...count {
      let negative = Negative(number: number, data: Negative.data(number, edit: 1, size: size))
      context.insert(negative)
      if let last = negatives.last { last.data = Negative.data(last.number, edit: 2, size: size) }
      negatives.append(negative)
      if negatives.count > 2 { context.delete(negatives.removeFirst()) }
      try context.save()
      FileHandle.standardOutput.write(Data("saved \(number)\n".utf8))
    }
  }

  /// All models stay in memory, their values do not.
  private func save(_ context: ModelContext, _ count: Int, _ size: Int) throws {
    var memory = Memory()
    var negatives: [Negative] = []
    for number in 0..<count {
      let negative = Negative(number: number, data: Negative.data(number, edit: 1, size: size))
      context.insert(negative)
      try context.save()
      negatives.append(negative)
      memory.look()
    }
    print("saved \(memory.growth)")
  }

  private func read(_ context: ModelContext, _ count: Int, _ size: Int) throws {
    var memory = Memory()
    let negatives = try context.fetch(FetchDescriptor<Negative>())
    for negative in negatives
    where negative.data != Negative.data(negative.number, edit: 1, size: size) {
      print("wrong \(negative.number)")
    }
    memory.look()
    var number = 0
    try context.enumerate(FetchDescriptor<Negative>(sortBy: [SortDescriptor(\.number)])) {
      negative in
      if negative.data != Negative.data(number, edit: 1, size: size) { print("wrong \(number)") }
      number += 1
      memory.look()
    }
    print("read \(memory.growth) \(negatives.count) \(number)")
  }
}

/// How the memory of the process that is no file grows.
private struct Memory {
  private let start = Memory.resident
  private(set) var growth = 0

  mutating func look() { growth = max(growth, Memory.resident - start) }

  /// In bytes; 0 where the system does not tell.
  private static var resident: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
  }
}
