import Foundation

/// The pages of a database as of its last commit, read without SQLite's pager.
///
/// Also for files that SQLite can't read. Pages are found by number, without other pages; nothing is
/// locked or written. A `DatabaseFile.Stamp` from before shows whether another process wrote meanwhile.
package final class DatabasePages {
  package let header: DatabaseHeader?
  package let pageSize: Int
  /// The bytes of a page that SQLite uses.
  package let usableSize: Int
  /// The number of pages after the last commit, limited to those that exist in the files.
  package let count: Int
  private let raw: RawDatabaseFile
  private let log: LogPages?

  /// - Parameter includesLog: Whether commits in the log are read too.
  /// - Throws: `SQLiteError` if the file can't be opened at all.
  package init(_ file: DatabaseFile, includesLog: Bool = true) throws {
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
  package func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= count else { return nil }
    if let log, let page = log.page(number) { return page }
    let bytes = raw.bytes(at: (number - 1) * pageSize, count: pageSize)
    return bytes.count == pageSize ? bytes : nil
  }

  /// Whether another database has the same pages, apart from counters in the header.
  package func hasSameContent(as other: DatabasePages) -> Bool {
    guard count > 0, count == other.count, pageSize == other.pageSize else { return false }
    return (1...count).allSatisfy { number in
      guard var page = page(number), var otherPage = other.page(number) else { return false }
      if number == 1 {
        DatabaseHeader.removeCounters(&page)
        DatabaseHeader.removeCounters(&otherPage)
      }
      return page == otherPage
    }
  }
}
