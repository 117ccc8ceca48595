/// Elements in the order in which they came, for units of work and reads that wait. Whether a task ends waits that
/// last too long is noted here too (`WaitLimit`).
///
/// Taking the first element, and removing one by its ticket, takes constant time on average, however
/// many wait.
package struct WaitingQueue<Element> {
  /// Taken and removed elements are nil; the element at `start` is not.
  private var elements: [(element: Element, arrival: ContinuousClock.Instant)?] = []
  private var start = 0
  /// The number of elements that the array no longer has.
  private var dropped = 0
  private var isWatched = false

  package init() {}

  package var isEmpty: Bool { start == elements.count }

  package var first: Element? { isEmpty ? nil : elements[start]?.element }

  /// - Returns: The ticket with which the element can be removed.
  @discardableResult
  package mutating func append(_ element: Element) -> Int {
    elements.append((element, .now))
    return dropped + elements.count - 1
  }

  package mutating func popFirst() -> Element? { remove(dropped + start) }

  /// The first element, if it has waited since a time or longer.
  package mutating func popFirst(since time: ContinuousClock.Instant) -> Element? {
    firstArrival.map { $0 <= time } == true ? popFirst() : nil
  }

  private var firstArrival: ContinuousClock.Instant? { isEmpty ? nil : elements[start]?.arrival }

  // MARK: Limits

  /// - Returns: Whether a task has to begin to watch the waits.
  package mutating func beginWatch() -> Bool {
    defer { isWatched = true }
    return !isWatched
  }

  /// When the first element has come, for the task that watches. Without one the watch has ended.
  package mutating func firstWatchedArrival() -> ContinuousClock.Instant? {
    isWatched = !isEmpty
    return firstArrival
  }

  // MARK: Removing

  /// - Returns: The element; nil if it does not wait any more.
  package mutating func remove(_ ticket: Int) -> Element? {
    let index = ticket - dropped
    guard index >= start, index < elements.count, let element = elements[index]?.element else {
      return nil
    }
    elements[index] = nil
    while start < elements.count, elements[start] == nil { start += 1 }
    dropTaken()
    return element
  }

  /// Elements may wait for as long as a server runs. Each is moved once on average.
  private mutating func dropTaken() {
    if isEmpty {
      elements.removeAll(keepingCapacity: true)
    } else if start > 64, start * 2 > elements.count {
      elements.removeFirst(start)
    } else {
      return
    }
    dropped += start
    start = 0
  }
}
