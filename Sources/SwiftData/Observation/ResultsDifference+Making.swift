/// Creates a difference from two lists, or from changes that the caller knows.
///
/// Lists are compared from both ends, so only models between the first and the last change are
/// looked up. Of the models in both lists, those of the longest sequence with the same order in
/// both stay; the others move.
extension ResultsDifference {
  /// Compares two lists. No list may contain a model twice.
  ///
  /// Takes time proportional to the lists, mostly for comparing identifiers at both ends.
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list after.
  ///   - changed: The models whose properties were changed.
  public init(
    from old: [PersistentIdentifier], to new: [PersistentIdentifier],
    updated changed: Set<PersistentIdentifier> = []
  ) {
    self.init()
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    let oldEnd = old.count - end
    let newEnd = new.count - end
    compare(
      (start..<oldEnd).map { Element(offset: $0, identifier: old[$0]) },
      (start..<newEnd).map { Element(offset: $0, identifier: new[$0]) })
    if changed.isEmpty { return }
    let isNew = Set(inserted.map(\.identifier))
    for (offset, identifier) in new.enumerated()
    where changed.contains(identifier) && !isNew.contains(identifier) {
      updated.append(Element(offset: offset, identifier: identifier))
    }
  }

  /// Creates a difference from a patch: all other models are in both lists, in the same order.
  ///
  /// Takes time proportional to the patch, whatever the lengths of the lists.
  /// - Parameters:
  ///   - taken: The removed models, with offsets in the old list.
  ///   - put: The inserted models, with offsets in the new list. A model that was removed too has
  ///     moved, unless its position among the others is the same.
  ///   - changed: Models in both lists that were changed, with offsets in the new list.
  package init(taking taken: [Element], putting put: [Element], updated changed: [Element] = []) {
    self.init()
    let taken = taken.sorted { $0.offset < $1.offset }
    let put = put.sorted { $0.offset < $1.offset }
    var indices: [PersistentIdentifier: Int] = [:]
    for (index, element) in put.enumerated() { indices[element.identifier] = index }
    // The number of untouched models before it: in that gap a model has not moved.
    var first = 0
    var stays: Set<Int> = []
    while first < taken.count {
      let gap = taken[first].offset - first
      var last = first
      var candidates: [Int] = []
      while last < taken.count, taken[last].offset - last == gap {
        if let index = indices[taken[last].identifier], put[index].offset - index == gap {
          candidates.append(index)
        }
        last += 1
      }
      stays.formUnion(ResultsDifference.longestIncrease(of: candidates).map { candidates[$0] })
      first = last
    }
    var sources: [PersistentIdentifier: Int] = [:]
    for element in taken {
      if indices[element.identifier] == nil {
        removed.append(element)
      } else {
        sources[element.identifier] = element.offset
      }
    }
    for (index, element) in put.enumerated() where !stays.contains(index) {
      if let source = sources[element.identifier] {
        moved.append(
          Move(source: source, destination: element.offset, identifier: element.identifier))
      } else {
        inserted.append(element)
      }
    }
    updated = changed.sorted { $0.offset < $1.offset }
  }

  private mutating func compare(_ old: [Element], _ new: [Element]) {
    var indices: [PersistentIdentifier: Int] = [:]
    for (index, element) in old.enumerated() { indices[element.identifier] = index }
    var isKept = Array(repeating: false, count: old.count)
    var kept: [(old: Int, new: Int)] = []
    for (index, element) in new.enumerated() {
      if let source = indices[element.identifier], !isKept[source] {
        isKept[source] = true
        kept.append((source, index))
      } else {
        inserted.append(element)
      }
    }
    for (index, element) in old.enumerated() where !isKept[index] { removed.append(element) }
    var stays = ResultsDifference.longestIncrease(of: kept.map(\.old))[...]
    for (index, pair) in kept.enumerated() {
      if stays.first == index {
        stays.removeFirst()
      } else {
        moved.append(
          Move(
            source: old[pair.old].offset, destination: new[pair.new].offset,
            identifier: new[pair.new].identifier))
      }
    }
  }

  /// The indices of a longest increasing subsequence of different numbers, in ascending order.
  static func longestIncrease(of numbers: [Int]) -> [Int] {
    /// For each length, the index of the smallest number that ends a sequence of it.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var sequence: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      sequence.append(index)
      index = previous[index]
    }
    return sequence.reversed()
  }
}
