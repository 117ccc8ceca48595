import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The names of files that a transaction will add or remove, written to disk before it does so.
///
/// 1. A writable container creates a journal with its first large value. The journal is in the
///    store's support folder, and is locked as long as the container lives.
/// 2. Names are added before the files are written, and before the commit that makes files unused.
///    The journal is emptied when the files match the result of the transaction.
/// 3. A journal without a lock was left by a killed process. The next process that opens the store
///    for writing takes it over, and removes its files that no row names.
///
/// A copy of a store into a file has one too.
///
/// Used under the lock of `ExternalFiles`, or by one thread while a store is opened or copied.
package final class ExternalJournal {
  private static let prefix = "pending-"

  private let url: URL
  private let file: Int32
  /// The number of names that were added since it was last emptied.
  private(set) var count: Int
  private var isKeptOnDeinit = false

  private init(_ url: URL, _ file: Int32) {
    self.url = url
    self.file = file
    count = 0
  }

  deinit {
    if !isKeptOnDeinit { unlink(url.path) }
    close(file)
  }

  /// Creates a journal and locks it.
  /// - Parameters:
  ///   - support: The store's support folder.
  ///   - access: The owner and the permissions that it gets; `nil` for those of a new file.
  static func make(in support: URL, _ access: StoreAccess?) throws -> ExternalJournal {
    try throwInjectedFault("make a journal")
    while true {
      let url = support.appendingPathComponent(prefix + UUID().uuidString)
      let file = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw POSIXError.last }
      let journal = ExternalJournal(url, file)
      access?.apply(toFile: file)
      // If the file system has no locks, no other process can take a journal over either.
      if flock(file, LOCK_EX) != 0, !isUnsupportedLock(errno) { throw POSIXError.last }
      // Another process may have taken it over before it was locked.
      if journal.isThere {
        try ExternalFolder.synchronize(support)
        return journal
      }
    }
  }

  /// Creates a journal in the support folder of a store that has no file yet, and locks it.
  package static func make(in support: URL) throws -> ExternalJournal {
    try make(in: support, nil)
  }

  /// Whether an error of `flock` means that the file system has no locks.
  static func isUnsupportedLock(_ code: Int32) -> Bool {
    code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS
  }

  /// The journals of killed processes, locked by this process.
  static func abandoned(in support: URL) -> [ExternalJournal] {
    urls(in: support).compactMap { url in
      let file = open(url.path, O_RDWR | O_APPEND | O_CLOEXEC)
      guard file >= 0 else { return nil }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        close(file)
        return nil
      }
      let journal = ExternalJournal(url, file)
      // Kept until it is resolved.
      journal.isKeptOnDeinit = true
      return journal
    }
  }

  /// The names in all journals, including those of running processes.
  static func names(in support: URL) -> Set<String> {
    Set(urls(in: support).flatMap(names(at:)))
  }

  private static func urls(in support: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(atPath: support.path)) ?? [])
      .filter { $0.hasPrefix(prefix) }.map(support.appendingPathComponent)
  }

  /// Complete lines only: the file of an incomplete last line has not been touched.
  private static func names(at url: URL) -> [String] {
    let text = String(decoding: (try? Data(contentsOf: url)) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  var names: [String] { ExternalJournal.names(at: url) }

  private var isThere: Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_nlink > 0
  }

  /// Adds names and synchronises the journal with the disk.
  package func add(_ names: [String]) throws {
    try throwInjectedFault("add \(names.count) names to a journal")
    let lines = Data(names.map { $0 + "\n" }.joined().utf8)
    try lines.withUnsafeBytes { try writeAll($0, to: file) }
    guard fsync(file) == 0 else { throw POSIXError.last }
    count += names.count
  }

  /// Called when all files match the results of their transactions.
  package func empty() {
    if count > 0, ftruncate(file, 0) == 0 { count = 0 }
  }

  /// Keeps the journal for the next process that opens the store.
  package func abandon() { isKeptOnDeinit = true }

  /// Called when the journal of a killed process has been resolved; deletes it on deinitialisation.
  func remove() { isKeptOnDeinit = false }
}
