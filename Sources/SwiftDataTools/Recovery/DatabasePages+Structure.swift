import OpenSwiftDataSQLiteEngine

extension DatabasePages {
  /// The page that contains the bytes for SQLite's locks; it has no content.
  private var lockPage: Int { 0x4000_0000 / pageSize + 1 }

  /// The number of pages that one page of the pointer map describes.
  private var pagesPerMap: Int { usableSize / 5 }

  private var hasPointerMap: Bool { header?.hasPointerMap ?? true }

  private func map(of number: Int) -> Int {
    let map = (number - 2) / (pagesPerMap + 1) * (pagesPerMap + 1) + 2
    return map == lockPage ? map + 1 : map
  }

  func isWithoutContent(_ number: Int) -> Bool {
    number == lockPage || (hasPointerMap && number >= 2 && map(of: number) == number)
  }

  /// The pointer map's entry for a page (sqlite.org/fileformat2.html, 1.8).
  func pointer(to number: Int) -> (kind: PointerKind, parent: Int)? {
    guard hasPointerMap, number > 2, !isWithoutContent(number) else { return nil }
    let map = map(of: number)
    let offset = 5 * (number - map - 1)
    guard let page = page(map), offset >= 0, offset + 5 <= usableSize,
      let kind = PointerKind(rawValue: page[offset])
    else { return nil }
    return (kind, page.bigEndian32(at: offset + 1))
  }

  enum PointerKind: UInt8 {
    case root = 1, free, firstOverflow, overflow, tree
  }

  /// The pages on the list of free pages, as far as the list can be read.
  func freePages() -> Set<Int> {
    var free: Set<Int> = []
    var trunk = header?.firstFreePage ?? 0
    while trunk > 0, free.insert(trunk).inserted, let page = page(trunk) {
      let leaves = page.bigEndian32(at: 4)
      guard leaves <= usableSize / 4 - 2 else { break }
      for index in 0..<leaves { free.insert(page.bigEndian32(at: 8 + 4 * index)) }
      trunk = page.bigEndian32(at: 0)
    }
    return free
  }
}
