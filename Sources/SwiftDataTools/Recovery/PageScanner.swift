package import OpenSwiftDataSQLiteEngine

/// Reads tables of a damaged database page by page, and skips pages that can't be read.
///
/// 1. `rows` walks the tree of a table from its root. A loss is the range of keys between the rows
///    before and after it.
/// 2. `damagedPages(ofIndex:)` checks the pages of an index, whose content is also in its table.
/// 3. `orphanRows` reads the pages that no tree led to: those below a damaged page.
///
/// Each page is read once; a second reference to it counts as damaged.
package final class PageScanner {
  /// The parts of a table that could not be read.
  package struct Losses: Hashable, Sendable {
    package fileprivate(set) var pages: [Int] = []
    /// Keys that may have had rows, in ascending order.
    package fileprivate(set) var keys: [ClosedRange<Int64>] = []
    /// Whether keys contradict each other, so that other rows may be lost too.
    package fileprivate(set) var areUncertain = false

    package init() {}
  }

  private let pages: DatabasePages
  private let decoder: RecordDecoder
  private var visited: Set<Int> = []
  private lazy var free = pages.freePages()

  package init(_ pages: DatabasePages) {
    self.pages = pages
    decoder = RecordDecoder(encoding: pages.header?.encoding ?? 1)
  }

  /// Passes the rows of a table to `body`, in the order of their keys.
  /// - Parameter body: Returns whether the row can belong to the table.
  package func rows(
    root: Int, _ body: (Int64, [RecordValue]) throws -> Bool
  ) rethrows -> Losses {
    var progress = Progress()
    try walk(root, to: .max, 0, &progress, body)
    return progress.finished()
  }

  /// A damaged page may contain numbers of pages that never existed.
  private func isPage(_ number: Int) -> Bool {
    number > 0 && number <= max(pages.count, pages.header?.pageCount ?? 0)
  }

  private func treePage(_ number: Int) -> TreePage? {
    guard visited.insert(number).inserted, !pages.isWithoutContent(number),
      let bytes = pages.page(number)
    else { return nil }
    return TreePage(bytes, number: number, usableSize: pages.usableSize)
  }

  /// Reads the rows of a subtree with keys that follow the last row, up to `high`.
  private func walk(
    _ number: Int, to high: Int64, _ depth: Int, _ progress: inout Progress,
    _ body: (Int64, [RecordValue]) throws -> Bool
  ) rethrows {
    guard depth < 40, let range = progress.keys(to: high), let page = treePage(number),
      page.kind.isTable
    else {
      if isPage(number) { progress.losses.pages.append(number) }
      progress.isLosing = true
      return
    }
    if page.kind == .leafTable {
      try readLeaf(page, range, &progress, body)
      return
    }
    let keys = page.cells.map(page.key).trusted(in: range)
    if keys.contains(nil) { progress.losses.pages.append(number) }
    for (index, cell) in page.cells.enumerated() {
      let child = page.child(cell)
      if keys[index] == nil, let pointer = pages.pointer(to: child),
        pointer.kind != .tree || pointer.parent != number
      {
        progress.isLosing = true
        continue
      }
      let bound = keys[index...].lazy.compactMap { $0 }.first ?? high
      try walk(child, to: bound, depth + 1, &progress, body)
    }
    if page.isUnbalanced { progress.doubt(page) }
    try walk(page.lastChild, to: high, depth + 1, &progress, body)
  }

  private func readLeaf(
    _ page: TreePage, _ range: ClosedRange<Int64>, _ progress: inout Progress,
    _ body: (Int64, [RecordValue]) throws -> Bool
  ) rethrows {
    let rows = page.cells.map(page.row)
    let keys = rows.map { $0?.key }.trusted(in: range)
    if keys.contains(nil) { progress.losses.pages.append(page.number) }
    var isWhole = !keys.contains(nil)
    for (row, key) in zip(rows, keys) {
      guard let row, key != nil else {
        progress.isLosing = true
        continue
      }
      progress.found(row.key)
      let values = values(of: row, in: page)
      if let values, try body(row.key, values) { continue }
      progress.losses.keys.append(row.key...row.key)
      // A row of another table is on a page of that table, in the place of one with other keys.
      if values != nil { progress.losses.areUncertain = true }
      isWhole = false
    }
    if isWhole, page.isUnbalanced { progress.doubt(page) }
  }

  // MARK: Records

  /// The record of a row, which may continue in a chain of overflow pages.
  private func values(of row: TreePage.Row, in page: TreePage) -> [RecordValue]? {
    let usable = pages.usableSize
    let local = row.localLength
    guard row.offset + local <= usable else { return nil }
    var record = Array(page.bytes[row.offset..<row.offset + local])
    guard local < row.length else { return decoder.values(record) }
    guard row.offset + local + 4 <= usable else { return nil }
    var next = page.bytes.bigEndian32(at: row.offset + local)
    record.reserveCapacity(min(row.length, pages.count * usable))
    // A damaged pointer must not take a page away from another row or from a tree.
    var chain: Set<Int> = []
    var last = page.number
    while record.count < row.length {
      guard next > 0, !visited.contains(next), chain.insert(next).inserted,
        let bytes = pages.page(next), mayContinueRecord(next, bytes, from: last)
      else { return nil }
      record += bytes[4..<4 + min(usable - 4, row.length - record.count)]
      last = next
      next = bytes.bigEndian32(at: 0)
    }
    guard let values = decoder.values(record) else { return nil }
    visited.formUnion(chain)
    return values
  }

  /// Whether a page may continue a record from another page. Its entry in the pointer map may be the
  /// damaged part: it counts only if another page, or the page itself, confirms it.
  private func mayContinueRecord(_ number: Int, _ bytes: [UInt8], from last: Int) -> Bool {
    guard let (kind, parent) = pages.pointer(to: number) else { return true }
    switch kind {
    case .root, .tree:
      return TreePage(bytes, number: number, usableSize: pages.usableSize) == nil
    case .free: return !free.contains(number)
    case .firstOverflow:
      let pointer = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
      return parent == last || pages.page(parent)?.firstRange(of: pointer) == nil
    case .overflow: return parent == last || pages.page(parent)?.bigEndian32(at: 0) != number
    }
  }

  // MARK: Indexes

  /// The pages of an index that can't be read.
  package func damagedPages(ofIndex root: Int) -> [Int] {
    var damaged: [Int] = []
    var rest = [root]
    while let number = rest.popLast() {
      guard let page = treePage(number), !page.kind.isTable else {
        if isPage(number) { damaged.append(number) }
        continue
      }
      if page.kind.isInterior { rest += page.cells.map(page.child) + [page.lastChild] }
    }
    return damaged.sorted()
  }

  // MARK: Pages that nothing leads to

  /// Passes the rows of leaves to `body` that no tree led to and that are not free.
  /// - Parameter body: Gets the pages above from the pointer map, the parent first, the key and the
  ///   values.
  package func orphanRows(_ body: ([Int], Int64, [RecordValue]) throws -> Void) rethrows {
    guard pages.count > 1 else { return }
    for number in 2...pages.count where !visited.contains(number) && !free.contains(number) {
      let pointer = pages.pointer(to: number)
      guard pointer == nil || pointer?.kind == .tree || pointer?.kind == .root,
        let page = treePage(number), page.kind == .leafTable
      else { continue }
      let ancestors = ancestors(of: number)
      for cell in page.cells {
        guard let row = page.row(cell), let values = values(of: row, in: page) else { continue }
        try body(ancestors, row.key, values)
      }
    }
  }

  private func ancestors(of number: Int) -> [Int] {
    var ancestors: [Int] = []
    while ancestors.count < 40, let pointer = pages.pointer(to: ancestors.last ?? number),
      pointer.kind == .tree
    {
      ancestors.append(pointer.parent)
    }
    return ancestors
  }
}

extension PageScanner {
  /// How far a walk through a table has come. What can't be read is lost between the row before it
  /// and the row after it, because a key in a parent page may be damaged too.
  private struct Progress {
    var losses = Losses()
    /// Whether something could not be read after the last row.
    var isLosing = false
    /// Whether there may have been rows after the last one, if there are keys for them.
    private var isDoubtful = false
    /// The lowest key that may follow; `nil` after the highest key of all.
    private var next: Int64? = .min

    /// The keys that may follow, up to `high`.
    func keys(to high: Int64) -> ClosedRange<Int64>? {
      next.flatMap { $0 <= high ? $0...high : nil }
    }

    /// A page may have had other cells than it has, before or after the last one.
    mutating func doubt(_ page: TreePage) {
      if losses.pages.last != page.number { losses.pages.append(page.number) }
      losses.areUncertain = true
      isDoubtful = true
    }

    mutating func found(_ key: Int64) {
      if isLosing || isDoubtful { lose(before: key) }
      isLosing = false
      isDoubtful = false
      next = key == .max ? nil : key + 1
    }

    private mutating func lose(before key: Int64) {
      if let next, next < key {
        losses.keys.append(next...key - 1)
      } else if isLosing {
        losses.areUncertain = true
      }
    }

    func finished() -> Losses {
      var losses = losses
      if isLosing || isDoubtful {
        if let keys = keys(to: .max) {
          losses.keys.append(keys)
        } else if isLosing {
          losses.areUncertain = true
        }
      }
      losses.keys = losses.keys.merged()
      return losses
    }
  }
}

extension [Int64?] {
  /// The keys of a page that can be trusted; `nil` for the others.
  ///
  /// The keys of a sound page ascend. If some do not, those are trusted that all longest ascending
  /// sequences contain.
  fileprivate func trusted(in range: ClosedRange<Int64>) -> Self {
    let known = enumerated().compactMap { index, key in
      key.flatMap { range.contains($0) ? (index: index, key: $0) : nil }
    }
    if known.count == count, zip(known, known.dropFirst()).allSatisfy({ $0.key < $1.key }) {
      return self
    }
    let before = known.map(\.key).lengthsOfAscendingSequences
    // The complement has the opposite order.
    let after = [Int64](known.reversed().map { ~$0.key }).lengthsOfAscendingSequences.reversed()
    let lengths = zip(before, after).map { $0 + $1 - 1 }
    let longest = lengths.max()
    let members = known.indices.filter { lengths[$0] == longest }
    let alternatives = Dictionary(grouping: members) { before[$0] }
    var result = Self(repeating: nil, count: count)
    for choice in alternatives.values where choice.count == 1 {
      result[known[choice[0]].index] = known[choice[0]].key
    }
    return result
  }
}

extension [Int64] {
  /// For each element, the length of the longest ascending sequence that ends with it.
  fileprivate var lengthsOfAscendingSequences: [Int] {
    var ends: [Int64] = []
    return map { key in
      let index = ends.firstIndex { $0 >= key } ?? ends.count
      if index == ends.count { ends.append(key) } else { ends[index] = key }
      return index + 1
    }
  }
}

extension [ClosedRange<Int64>] {
  /// In ascending order, with adjacent ranges joined.
  package func merged() -> Self {
    var result: Self = []
    for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1
      {
        result[result.count - 1] =
          last.lowerBound...Swift.max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// Without some keys, which are in ascending order.
  package func removing(_ keys: [Int64]) -> Self {
    var result: Self = []
    var rest = keys[...]
    for range in self {
      var low = range.lowerBound
      var isEmpty = false
      rest = rest.drop { $0 < low }
      while let key = rest.first, key <= range.upperBound {
        if key > low { result.append(low...key - 1) }
        rest = rest.dropFirst()
        if key == range.upperBound {
          isEmpty = true
          break
        }
        low = key + 1
      }
      if !isEmpty { result.append(low...range.upperBound) }
    }
    return result
  }
}
