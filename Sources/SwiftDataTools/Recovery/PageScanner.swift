package import OpenSwiftDataSQLiteEngine

/// Reads tables of a damaged database page by page, and skips pages that can't be read.
///
/// 1. `rows` walks the tree of a table from its root. The parent of a damaged page gives the keys
///    below it, so a loss is a range of keys.
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

    package init() {}
  }

  private let pages: DatabasePages
  private let decoder: RecordDecoder
  private var visited: Set<Int> = []

  package init(_ pages: DatabasePages) {
    self.pages = pages
    decoder = RecordDecoder(encoding: pages.header?.encoding ?? 1)
  }

  /// Passes the rows of a table to `body`, in the order of their keys.
  /// - Parameter body: Returns whether the row can belong to the table.
  package func rows(
    root: Int, _ body: (Int64, [RecordValue]) throws -> Bool
  ) rethrows -> Losses {
    var losses = Losses()
    try walk(root, .min, .max, 0, &losses, body)
    losses.keys = losses.keys.merged()
    return losses
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

  /// Reads the rows of a subtree with keys from `low` to `high`.
  private func walk(
    _ number: Int, _ low: Int64, _ high: Int64, _ depth: Int, _ losses: inout Losses,
    _ body: (Int64, [RecordValue]) throws -> Bool
  ) rethrows {
    guard depth < 40, let page = treePage(number), page.kind.isTable else {
      if isPage(number) { losses.pages.append(number) }
      losses.add(low, high)
      return
    }
    if page.kind == .leafTable {
      try readLeaf(page, low, high, &losses, body)
      return
    }
    var next = low
    for cell in page.cells {
      guard let key = page.key(cell), key >= next, key <= high else {
        if losses.pages.last != number { losses.pages.append(number) }
        continue
      }
      try walk(page.child(cell), next, key, depth + 1, &losses, body)
      if key == .max { return }
      next = key + 1
    }
    try walk(page.lastChild, next, high, depth + 1, &losses, body)
  }

  private func readLeaf(
    _ page: TreePage, _ low: Int64, _ high: Int64, _ losses: inout Losses,
    _ body: (Int64, [RecordValue]) throws -> Bool
  ) rethrows {
    var next = low
    var isLosing = false
    for cell in page.cells {
      guard let row = page.row(cell), row.key >= next, row.key <= high else {
        isLosing = true
        continue
      }
      if isLosing, row.key > next { losses.add(next, row.key - 1) }
      isLosing = false
      if let values = values(of: row, in: page), try body(row.key, values) {
      } else {
        losses.add(row.key, row.key)
      }
      if row.key == .max { return }
      next = row.key + 1
    }
    if isLosing { losses.add(next, high) }
  }

  // MARK: Records

  /// The record of a row, which may continue in a chain of overflow pages.
  private func values(of row: TreePage.Row, in page: TreePage) -> [RecordValue]? {
    let usable = pages.usableSize
    var local = row.length
    if row.length > usable - 35 {
      let least = (usable - 12) * 32 / 255 - 23
      let most = least + (row.length - least) % (usable - 4)
      local = most <= usable - 35 ? most : least
    }
    guard row.offset + local <= usable else { return nil }
    var record = Array(page.bytes[row.offset..<row.offset + local])
    guard local < row.length else { return decoder.values(record) }
    guard row.offset + local + 4 <= usable else { return nil }
    var next = page.bytes.bigEndian32(at: row.offset + local)
    record.reserveCapacity(min(row.length, pages.count * usable))
    while record.count < row.length {
      guard next > 0, visited.insert(next).inserted, let bytes = pages.page(next) else {
        return nil
      }
      record += bytes[4..<4 + min(usable - 4, row.length - record.count)]
      next = bytes.bigEndian32(at: 0)
    }
    return decoder.values(record)
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
  /// - Parameter body: Gets the parent page from the pointer map, the key and the values.
  package func orphanRows(_ body: (Int?, Int64, [RecordValue]) throws -> Void) rethrows {
    let free = pages.freePages()
    guard pages.count > 1 else { return }
    for number in 2...pages.count where !visited.contains(number) && !free.contains(number) {
      let pointer = pages.pointer(to: number)
      guard pointer == nil || pointer?.kind == .tree || pointer?.kind == .root,
        let page = treePage(number), page.kind == .leafTable
      else { continue }
      for cell in page.cells {
        guard let row = page.row(cell), let values = values(of: row, in: page) else { continue }
        try body(pointer?.kind == .tree ? pointer?.parent : nil, row.key, values)
      }
    }
  }
}

extension PageScanner.Losses {
  fileprivate mutating func add(_ low: Int64, _ high: Int64) {
    if low <= high { keys.append(low...high) }
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
