import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

struct PoolGateTests {
  final class Person {}

  let ann = Person()
  let bob = Person()
  let cid = Person()

  func id(_ person: Person) -> ObjectIdentifier {
    ObjectIdentifier(person)
  }

  @Test func readersHaveASeatEachAndTheNextWaits() {
    var gate = PoolGate(hasWriter: true, readers: 2)
    #expect(gate.arrive(.read, holder: id(ann)) == .enter(seat: 1))
    #expect(gate.arrive(.read, holder: id(bob)) == .enter(seat: 2))
    #expect(gate.arrive(.read, holder: id(cid)) == .wait(ticket: 1))
    #expect(gate.leave(seat: 2) == PoolGate.Grant(ticket: 1, seat: 2))
    #expect(gate.leave(seat: 2) == nil)
    #expect(gate.leave(seat: 1) == nil)
    #expect(gate.isIdle)
  }

  @Test func writersAreServedInTheOrderTheyCame() {
    var gate = PoolGate(hasWriter: true, readers: 1)
    #expect(gate.arrive(.write, holder: id(ann)) == .enter(seat: 0))
    #expect(gate.arrive(.write, holder: id(bob)) == .wait(ticket: 1))
    #expect(gate.arrive(.write, holder: id(cid)) == .wait(ticket: 2))
    #expect(gate.leave(seat: 0) == PoolGate.Grant(ticket: 1, seat: 0))
    #expect(gate.leave(seat: 0) == PoolGate.Grant(ticket: 2, seat: 0))
  }

  @Test func whoIsInsideEntersAgainEvenWhileOthersWait() {
    var gate = PoolGate(hasWriter: true, readers: 1)
    #expect(gate.arrive(.read, holder: id(ann)) == .enter(seat: 1))
    #expect(gate.arrive(.read, holder: id(bob)) == .wait(ticket: 1))
    #expect(gate.arrive(.read, holder: id(ann)) == .enter(seat: 1))
    #expect(gate.leave(seat: 1) == nil)
    #expect(gate.leave(seat: 1) == PoolGate.Grant(ticket: 1, seat: 1))
  }

  @Test func whoWritesReadsThroughTheWriter() {
    var gate = PoolGate(hasWriter: true, readers: 1)
    #expect(gate.arrive(.read, holder: id(ann)) == .enter(seat: 1))
    #expect(gate.arrive(.write, holder: id(ann)) == .enter(seat: 0))
    #expect(gate.arrive(.read, holder: id(ann)) == .enter(seat: 0))
  }

  @Test func anotherContextReadsBesideTheWriterOfItsThread() {
    let (writer, reader) = (UUID(), UUID())
    var gate = PoolGate(hasWriter: true, readers: 2)
    #expect(gate.arrive(.write, holder: id(ann), for: writer) == .enter(seat: 0))
    #expect(gate.arrive(.read, holder: id(ann), for: writer) == .enter(seat: 0))
    #expect(gate.arrive(.read, holder: id(ann), for: reader) == .enter(seat: 1))
    #expect(gate.arrive(.read, holder: id(ann), for: reader) == .enter(seat: 1))
    #expect(gate.arrive(.read, holder: id(ann)) == .enter(seat: 0))
    // The store refuses what it writes.
    #expect(gate.arrive(.write, holder: id(ann), for: reader) == .enter(seat: 0))
  }

  @Test func nobodyWaitsForItself() {
    let contexts = (0..<4).map { _ in UUID() }
    var gate = PoolGate(hasWriter: true, readers: 2)
    #expect(gate.arrive(.read, holder: id(ann), for: contexts[0]) == .enter(seat: 1))
    #expect(gate.arrive(.read, holder: id(ann), for: contexts[1]) == .enter(seat: 2))
    // The writer reads too.
    #expect(gate.arrive(.read, holder: id(ann), for: contexts[2]) == .enter(seat: 0))
    #expect(gate.arrive(.read, holder: id(ann), for: contexts[3]) == .deadlock)
    #expect(gate.arrive(.read, holder: id(bob), for: contexts[2]) == .wait(ticket: 1))
  }

  @Test func twoThreadsDoNotWaitForEachOther() {
    let contexts = (0..<3).map { _ in UUID() }
    var gate = PoolGate(hasWriter: true, readers: 1)
    #expect(gate.arrive(.write, holder: id(ann), for: contexts[0]) == .enter(seat: 0))
    #expect(gate.arrive(.read, holder: id(bob), for: contexts[1]) == .enter(seat: 1))
    #expect(gate.arrive(.read, holder: id(ann), for: contexts[2]) == .wait(ticket: 1))
    #expect(gate.arrive(.write, holder: id(bob), for: contexts[2]) == .deadlock)
    #expect(gate.leave(seat: 1) == PoolGate.Grant(ticket: 1, seat: 1))
  }

  @Test func aSingleSeatServesReadersAndWritersInTurn() {
    var gate = PoolGate(hasWriter: true, readers: 0)
    #expect(gate.arrive(.write, holder: id(ann)) == .enter(seat: 0))
    #expect(gate.arrive(.read, holder: id(bob)) == .wait(ticket: 1))
    #expect(gate.arrive(.write, holder: id(cid)) == .wait(ticket: 2))
    #expect(gate.leave(seat: 0) == PoolGate.Grant(ticket: 1, seat: 0))
    #expect(gate.leave(seat: 0) == PoolGate.Grant(ticket: 2, seat: 0))
  }

  @Test func aClosedGateServesWhoWaitsAndNobodyElse() {
    var gate = PoolGate(hasWriter: true, readers: 1)
    #expect(gate.arrive(.write, holder: id(ann)) == .enter(seat: 0))
    #expect(gate.arrive(.write, holder: id(bob)) == .wait(ticket: 1))
    gate.close()
    #expect(gate.arrive(.read, holder: id(cid)) == .refuse)
    #expect(gate.leave(seat: 0) == PoolGate.Grant(ticket: 1, seat: 0))
    #expect(gate.leave(seat: 0) == nil)
    #expect(gate.isIdle)
  }
}
