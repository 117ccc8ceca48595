import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// Random programs in which several contexts, containers and processes write to one store, each with what
/// it knows: after every step the store keeps the rules of its schema.
///
/// `WRITERS_PROGRAMS` is how many programs run, `WRITERS_FIRST` the seed of the first; with files, every
/// eighth has another process. Of each kind of failure the first is shrunk and reported, to be kept in
/// `WritersRegressionTests`.
///
/// With `WRITERS_PROGRAMS` each seed is printed before it runs, in case one crashes. `WRITERS_PROCESS`
/// names a writer, such as `second`, whose steps another process makes instead: a crash there is a
/// failure like others, and is shrunk.
@Suite(.databases) struct WritersTests {
  @Test(arguments: 0..<4) func theStoreKeepsItsRulesBesideOtherWriters(part: Int) throws {
    try run(part)
  }

  @Test(arguments: 0..<4) func theStoreKeepsItsRulesWhereWritersUndo(part: Int) throws {
    try run(part, undoes: true)
  }

  /// An observer of a model is notified, whoever changes it.
  @Test(arguments: 0..<4) func observersOfModelsAreNotified(part: Int) throws {
    try run(part, watchesModels: true)
  }

  @Test(arguments: 0..<4) func observersOfModelsAreNotifiedWhereWritersUndo(part: Int) throws {
    try run(part, watchesModels: true, undoes: true)
  }

  private func run(_ part: Int, watchesModels: Bool = false, undoes: Bool = false) throws {
    let environment = ProcessInfo.processInfo.environment
    let isOnServer = PostgresTestStores.current != nil
    let count =
      environment["WRITERS_PROGRAMS"].flatMap(Int.init)
      ?? (watchesModels ? 32 : 68) / (isOnServer ? 4 : 1)
    let first = environment["WRITERS_FIRST"].flatMap(Int.init) ?? 0
    var failures: [WritersFailure.Kind: (seed: Int, program: WritersProgram)] = [:]
    var counts = (stored: 0, refused: 0)
    for seed in first..<(first + count) where seed % 4 == part {
      var program = WritersProgram(
        seed: UInt64(seed), length: 20 + seed % 5 * 12,
        usesProcess: seed / 4 % 8 == 7 && !undoes && !isOnServer, undoes: undoes)
      if let writer = environment["WRITERS_PROCESS"].flatMap(WriterName.init) {
        program.replace(writer, by: .process)
      }
      if environment["WRITERS_PROGRAMS"] != nil {
        FileHandle.standardError.write(Data("seed \(seed) runs\n".utf8))
      }
      let result = Writers.result(of: program, watchesModels: watchesModels, undoes: undoes)
      counts.stored += result.counts.stored
      counts.refused += result.counts.refused
      if let kind = result.failure?.kind, failures[kind] == nil { failures[kind] = (seed, program) }
    }
    for (kind, found) in failures {
      // Making the program shorter may take longer than a test run has.
      FileHandle.standardError.write(Data("seed \(found.seed) fails: \(kind)\n".utf8))
      let shrunk = found.program.shrunk {
        Writers.result(of: $0, watchesModels: watchesModels, undoes: undoes).failure?.kind == kind
      }
      let text =
        Writers.result(of: shrunk, watchesModels: watchesModels, undoes: undoes)
        .failure?.description ?? ""
      Issue.record("seed \(found.seed), \(kind): \(text)\n\(shrunk)")
    }
    // Whoever refuses everything keeps all rules.
    if failures.isEmpty { #expect(counts.stored > counts.refused) }
  }

  @Test func aFailingProgramShrinks() {
    let program = WritersProgram(seed: 1, length: 40, usesProcess: false)
    func fails(_ program: WritersProgram) -> Bool {
      program.steps.contains { if case .save = $0.move { true } else { false } }
    }
    #expect(fails(program) && program.shrunk(while: fails).steps.count == 1)
  }
}

enum Writers {
  static func result(
    of program: WritersProgram, watchesModels: Bool = false, undoes: Bool = false
  ) -> (failure: WritersFailure?, counts: (stored: Int, refused: Int)) {
    var stores: [WeakStore] = []
    var result: (failure: WritersFailure?, counts: (stored: Int, refused: Int)) = (nil, (0, 0))
    do {
      let run = try WritersRun(watchesModels: watchesModels, undoes: undoes)
      defer {
        stores = run.containers.flatMap(\.stores).map { WeakStore(store: $0 as AnyObject) }
        result.counts = run.counts
      }
      try run.run(program)
    } catch let failure as WritersFailure {
      result.failure = failure
    } catch {
      result.failure = WritersFailure(kind: .broken, description: "\(error)")
    }
    // Its threads may still use it.
    for _ in 0..<500 where stores.contains(where: { $0.store != nil }) {
      Thread.sleep(forTimeInterval: 0.01)
    }
    let left = stores.count { $0.store != nil }
    if left > 0, result.failure == nil {
      result.failure = WritersFailure(kind: .leak, description: "\(left) stores are still open")
    }
    return result
  }

  private struct WeakStore {
    weak var store: AnyObject?
  }
}
