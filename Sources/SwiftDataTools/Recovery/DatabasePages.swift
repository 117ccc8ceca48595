import Foundation
package import OpenSwiftDataSQLiteEngine

/// The pages of a database as of its last commit, read without SQLite's pager.
///
/// For files that SQLite can't read. Pages are found by number, without other pages; nothing is
/// locked or written. `stamp` shows whether another process wrote meanwhile.
package final class DatabasePages {
  let header: DatabaseHeader?
  let pageSize: Int
  /// The bytes of a page that SQLite uses.
  let usableSize: Int
  /// The number of pages after the last commit, limited to those that exist in the files.
  let count: Int
  private let file: DatabaseFile
  private let raw: RawDatabaseFile
  private let log: LogPages?

  /// - Parameter includesLog: Whether commits in the log are read too.
  /// - Throws: `SQLiteError` if the file can't be opened at all.
  package init(_ file: DatabaseFile, includesLog: Bool = true) throws {
    self.file = file
    raw = try RawDatabaseFile(path: file.path)
    let log = includesLog ? LogPages(path: file.logPath) : nil
    let fileHeader = DatabaseHeader(raw.bytes(at: 0, count: DatabaseHeader.length))
    // Both frameworks write pages of 4096 bytes.
    let size = fileHeader?.pageSize ?? log?.pageSize ?? 4096
    let ownLog = log.flatMap { $0.pageSize == size ? $0 : nil }
    self.log = ownLog
    let header = ownLog?.page(1).flatMap(DatabaseHeader.init) ?? fileHeader
    self.header = header
    pageSize = size
    usableSize = size - (header?.reservedBytes ?? 0)
    let available = max(raw.size / size, ownLog?.lastPage ?? 0)
    count = min(ownLog?.pageCount ?? header?.pageCount ?? available, available)
  }

  /// The bytes of a page; `nil` if the file ends before it.
  func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= count else { return nil }
    if let log, let page = log.page(number) { return page }
    let bytes = raw.bytes(at: (number - 1) * pageSize, count: pageSize)
    return bytes.count == pageSize ? bytes : nil
  }

  /// Lengths and modification times of the files: different after a write.
  var stamp: [String] {
    [file.path, file.logPath].map { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      return "\(DatabaseFile.size(of: path) ?? -1) \(date)"
    }
  }

  // MARK: Pages of no tree

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
