/// The results of a fetch, read in batches when they are used.
///
/// Copies share the batches that were read. Like its models, a collection belongs to the thread,
/// queue or actor of its context.
public struct FetchResultsCollection<Element> {
  private let source: Source

  /// The position of the first element.
  public let startIndex = 0

  /// The number of elements.
  public let endIndex: Int

  /// Creates a collection of elements that are already loaded.
  package init(_ elements: [Element]) {
    source = .elements(elements)
    endIndex = elements.count
  }

  /// Creates a collection that reads elements when they are used.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - batchSize: How many elements are read at once; at least 1.
  ///   - read: Returns the elements at the given positions: exactly one for each position.
  package init(count: Int, batchSize: Int, read: @escaping (Range<Int>) -> [Element]) {
    source = .batches(
      FetchResultsBatches(count: count, batchSize: batchSize < 1 ? 1 : batchSize, read: read))
    endIndex = count
  }

  private enum Source {
    case elements([Element])
    case batches(FetchResultsBatches<Element>)
  }
}

extension FetchResultsCollection: RandomAccessCollection {
  /// A position, counted from 0.
  public typealias Index = Int

  /// The positions.
  public typealias Indices = Range<Int>

  /// Iterates over the elements.
  public typealias Iterator = IndexingIterator<FetchResultsCollection<Element>>

  /// A slice of the collection.
  public typealias SubSequence = Slice<FetchResultsCollection<Element>>

  /// Returns the element at a position; reads its batch if that is not loaded.
  public subscript(position: Int) -> Element {
    switch source {
    case .elements(let elements): elements[position]
    case .batches(let batches): batches[position]
    }
  }
}

/// The batches that have been read. Only the last few are kept: iterating back and forth reads each
/// once, and iterating over millions of rows does not hold them all.
private final class FetchResultsBatches<Element> {
  private let count: Int
  private let batchSize: Int
  private let read: (Range<Int>) -> [Element]
  private var recent: [(number: Int, elements: [Element])] = []
  private static var capacity: Int { 4 }

  init(count: Int, batchSize: Int, read: @escaping (Range<Int>) -> [Element]) {
    self.count = count
    self.batchSize = batchSize
    self.read = read
  }

  subscript(position: Int) -> Element {
    precondition(
      position >= 0 && position < count, "FetchResultsCollection: position is out of bounds")
    return batch(position / batchSize)[position % batchSize]
  }

  private func batch(_ number: Int) -> [Element] {
    if let last = recent.last, last.number == number { return last.elements }
    if let known = recent.firstIndex(where: { $0.number == number }) {
      recent.append(recent.remove(at: known))
    } else {
      let start = number * batchSize
      let elements = read(start..<min(start + batchSize, count))
      if recent.count == Self.capacity { recent.removeFirst() }
      recent.append((number, elements))
    }
    return recent[recent.count - 1].elements
  }
}
