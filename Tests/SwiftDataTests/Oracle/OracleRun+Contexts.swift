import Foundation
import SwiftData

/// Steps in which others take part: a second context, another container, another thread.
extension OracleRun {
  mutating func editElsewhere(_ step: Move) throws {
    // Two contexts with unsaved changes are the matter of RandomContextsTests.
    guard now == saved, !context.hasChanges else { return }
    try edit(step, in: other)
    let saved = saved
    if now.isDenied(isStored: { saved.things[$0] != nil }) {
      other.rollback()
      now = saved
    } else {
      try other.save()
      context.processPendingChanges()
      try settle()
    }
    context.processPendingChanges()
    restartUndo()
  }

  mutating func deleteElsewhere(_ which: Int) throws {
    let numbers = saved.things.keys.sorted()
    guard context.undoManager == nil, !numbers.isEmpty else { return }
    var theirs = saved
    let number = numbers[which % numbers.count]
    theirs.doomed = [number]
    if theirs.isDenied(isStored: { _ in true }) { return }
    let gone = theirs.goesWithDoomed
    delete(try model(number, in: other), from: other)
    try other.save()
    let pending = context.changedModelsArray + context.deletedModelsArray
    lost.formUnion(gone.intersection(pending.compactMap { ($0 as? any Citizen)?.number }))
    saved = theirs.settled
    now.remove(gone)
    context.processPendingChanges()
  }

  mutating func linkStranger(_ bond: Bond, _ side: Bond.Side, _ which: Int) throws {
    guard context.undoManager == nil, let number = choose(which, { bond.accepts($0, on: side) }),
      let kind = Kind.allCases.first(where: { bond.accepts($0, on: side.opposite) })
    else { return }
    let strangers = ModelContext(try World.container(folder.url.appending(path: "other.store")))
    let stranger = kind.make(-1, code: -1)
    strangers.insert(stranger)
    try strangers.save()
    let (owner, end) = (try model(number, in: context), bond.end(side))
    let partners = end.read(owner)
    end.append(owner, stranger)
    do {
      try context.save()
      throw Disagreement(description: "a link to another container was saved")
    } catch is SwiftDataError {
      end.write(owner, partners)
    }
  }

  mutating func forgetOnAnotherThread() throws {
    let box = ModelBox(Array(held.values) + duplicates.map(\.model))
    (held, duplicates) = ([:], [])
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      box.models = []
      isDone.signal()
    }
    for _ in 0..<3 { _ = try picture(of: context) }
    isDone.wait()
  }
}

/// Models on their way to another thread, which is the only one to use the box then.
private final class ModelBox: @unchecked Sendable {
  var models: [any Citizen]

  init(_ models: [any Citizen]) { self.models = models }
}
