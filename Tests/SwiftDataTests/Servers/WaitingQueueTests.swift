import SwiftData
import Testing

@Suite struct WaitingQueueTests {
  @Test func elementsAreTakenInTheirOrder() {
    var queue = WaitingQueue<Int>()
    #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil)
    for number in 0..<1000 { queue.append(number) }
    var taken: [Int] = []
    while let number = queue.popFirst() {
      taken.append(number)
      // New elements come while others are taken.
      if number < 500 { queue.append(1000 + number) }
    }
    #expect(taken == Array(0..<1500) && queue.isEmpty)
  }

  @Test func anElementIsRemovedOnceByItsTicket() {
    var queue = WaitingQueue<String>()
    let tickets = ["a", "b", "c", "d"].map { queue.append($0) }
    #expect(queue.remove(tickets[1]) == "b" && queue.remove(tickets[1]) == nil)
    #expect(queue.remove(tickets[0]) == "a" && queue.first == "c")
    #expect(queue.popFirst() == "c" && queue.remove(tickets[2]) == nil)
    #expect(queue.popFirst() == "d" && queue.isEmpty)
    #expect(queue.remove(tickets[3]) == nil)
  }

  @Test func elementsThatHaveWaitedLongEnoughAreTaken() {
    var queue = WaitingQueue<Int>()
    let start = ContinuousClock.now
    #expect(queue.popFirst(since: start + .seconds(1000)) == nil)
    queue.append(1)
    queue.append(2)
    #expect(queue.popFirst(since: start - .seconds(1)) == nil)
    #expect(queue.popFirst(since: .now + .seconds(1000)) == 1 && queue.first == 2)
  }

  @Test func oneTaskWatchesWhileElementsWait() {
    var queue = WaitingQueue<Int>()
    let start = ContinuousClock.now
    for number in 0..<3 { queue.append(number) }
    var begins = [queue.beginWatch(), queue.beginWatch()]
    for _ in 0..<3 {
      let arrival = queue.firstWatchedArrival()
      #expect(arrival.map { $0 >= start } == true)
      begins.append(queue.beginWatch())
      _ = queue.popFirst()
    }
    #expect(begins == [true, false, false, false, false])
    let last = queue.firstWatchedArrival()
    let beginsAgain = queue.beginWatch()
    #expect(last == nil && beginsAgain)
  }

  @Test func ticketsStayValidWhileTakenElementsAreDropped() {
    var queue = WaitingQueue<Int>()
    let tickets = (0..<1000).map { queue.append($0) }
    for _ in 0..<900 { _ = queue.popFirst() }
    #expect(queue.remove(tickets[899]) == nil && queue.remove(-1) == nil)
    #expect(queue.remove(tickets[950]) == 950)
    let last = queue.append(1000)
    #expect(queue.remove(last) == 1000)
    var rest: [Int] = []
    while let number = queue.popFirst() { rest.append(number) }
    #expect(rest == Array(900..<950) + Array(951..<1000))
  }
}
