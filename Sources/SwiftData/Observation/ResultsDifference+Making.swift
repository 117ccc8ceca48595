/// Two ways to a difference: from two lists, and from what a caller knows to have changed.
///
/// Lists are compared from both ends, so only what lies between the first and the last change is looked up.
/// Of the models in both lists those stay that form the longest sequence in the order of both; the
/// others move.
extension ResultsDifference {
  /// Compares two lists. No model may be in a list twice.
  ///
  /// Takes time in proportion to the lists, mostly for comparing identifiers at both ends.
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

  /// Makes a difference from a patch: all other models are in both lists, in the same order.
  ///
  /// Takes time in proportion to the patch, whatever the lengths of the lists.
  /// - Parameters:
  ///   - taken: What was taken out, with offsets in the old list.
  ///   - put: What was put in, with offsets in the new list. A model that was taken out too has moved, unless
  ///     it is where it was among the others.
  ///   - changed: Models in both lists that were changed, with offsets in the new list.
  package init(taking taken: [Element], putting put: [Element], updated changed: [Element] = []) {
    self.init()
    let taken = taken.sorted { $0.offset < $1.offset }
    let put = put.sorted { $0.offset < $1.offset }
    var places: [PersistentIdentifier: Int] = [:]
    for (place, element) in put.enumerated() { places[element.identifier] = place }
    // How many models that were not touched are before it: in that gap a model is still where it was.
    var first = 0
    var stays: Set<Int> = []
    while first < taken.count {
      let gap = taken[first].offset - first
      var last = first
      var candidates: [Int] = []
      while last < taken.count, taken[last].offset - last == gap {
        if let place = places[taken[last].identifier], put[place].offset - place == gap {
          candidates.append(place)
        }
        last += 1
      }
      stays.formUnion(ResultsDifference.longestIncrease(of: candidates).map { candidates[$0] })
      first = last
    }
    var sources: [PersistentIdentifier: Int] = [:]
    for element in taken {
      if places[element.identifier] == nil {
        removed.append(element)
      } else {
        sources[element.identifier] = element.offset
      }
    }
    for (place, element) in put.enumerated() where !stays.contains(place) {
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
    var places: [PersistentIdentifier: Int] = [:]
    for (place, element) in old.enumerated() { places[element.identifier] = place }
    var isKept = Array(repeating: false, count: old.count)
    var kept: [(old: Int, new: Int)] = []
    for (place, element) in new.enumerated() {
      if let source = places[element.identifier], !isKept[source] {
        isKept[source] = true
        kept.append((source, place))
      } else {
        inserted.append(element)
      }
    }
    for (place, element) in old.enumerated() where !isKept[place] { removed.append(element) }
    var stays = ResultsDifference.longestIncrease(of: kept.map(\.old))[...]
    for (place, pair) in kept.enumerated() {
      if stays.first == place {
        stays.removeFirst()
      } else {
        moved.append(
          Move(
            source: old[pair.old].offset, destination: new[pair.new].offset,
            identifier: new[pair.new].identifier))
      }
    }
  }

  /// The places of a longest increasing subsequence of different numbers, in ascending order.
  static func longestIncrease(of numbers: [Int]) -> [Int] {
    /// For each length, the place of the smallest number that ends a sequence of it.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var sequence: [Int] = []
    var place = ends.last ?? -1
    while place >= 0 {
      sequence.append(place)
      place = previous[place]
    }
    return sequence.reversed()
  }
}
