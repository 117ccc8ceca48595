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

/// Names of files that a transaction is about to add or to remove, on the disk before either happens.
///
/// 1. A container that is open for writing has one, from its first large value on. It lies in the store's
///    support folder and is locked as long as the container lives.
/// 2. Names are added before the files are written, and before the commit that makes files superfluous.
///    It is emptied when the files have followed the transaction.
/// 3. A journal that is not locked was left behind by a process that ended in between. Whoever opens the
///    store for writing next takes it over, and removes those of its files that no row names.
///
/// Used under the lock of `ExternalFiles`, or by one thread while a store is opened.
final class ExternalJournal {
  private static let prefix = "pending-"

  private let url: URL
  private let file: Int32
  /// How many names were added since it was emptied.
  private(set) var count: Int
  private var staysBehind = false

  private init(_ url: URL, _ file: Int32) {
    self.url = url
    self.file = file
    count = 0
  }

  deinit {
    if !staysBehind { unlink(url.path) }
    close(file)
  }

  /// Makes a journal and locks it.
  static func make(in support: URL) throws -> ExternalJournal {
    try throwInjectedFault("make a journal")
    while true {
      let url = support.appendingPathComponent(prefix + UUID().uuidString)
      let file = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw POSIXError.last }
      let journal = ExternalJournal(url, file)
      // Where the file system has no locks nobody can take a journal over either.
      if flock(file, LOCK_EX) != 0, errno != ENOLCK, errno != EOPNOTSUPP, errno != ENOSYS {
        throw POSIXError.last
      }
      // Before it was locked, somebody may have taken it for one that was left behind.
      if journal.isThere {
        try ExternalFolder.synchronize(support)
        return journal
      }
    }
  }

  /// The journals that processes left behind, locked.
  static func leftBehind(in support: URL) -> [ExternalJournal] {
    urls(in: support).compactMap { url in
      let file = open(url.path, O_RDWR | O_APPEND | O_CLOEXEC)
      guard file >= 0 else { return nil }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        close(file)
        return nil
      }
      let journal = ExternalJournal(url, file)
      // It is removed when it has been resolved.
      journal.staysBehind = true
      return journal
    }
  }

  /// The names in all journals, of living processes too.
  static func names(in support: URL) -> Set<String> {
    Set(urls(in: support).flatMap(names(at:)))
  }

  private static func urls(in support: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(atPath: support.path)) ?? [])
      .filter { $0.hasPrefix(prefix) }.map(support.appendingPathComponent)
  }

  /// The whole lines: where the last one is not whole, nothing has been done with its name.
  private static func names(at url: URL) -> [String] {
    let text = String(decoding: (try? Data(contentsOf: url)) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  var names: [String] { ExternalJournal.names(at: url) }

  private var isThere: Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_nlink > 0
  }

  /// Adds names; they outlive a crash from here on.
  func add(_ names: [String]) throws {
    try throwInjectedFault("add \(names.count) names to a journal")
    let lines = Data(names.map { $0 + "\n" }.joined().utf8)
    try lines.withUnsafeBytes { try writeAll($0, to: file) }
    guard fsync(file) == 0 else { throw POSIXError.last }
    count += names.count
  }

  /// The files of all names have followed their transactions.
  func empty() {
    if count > 0, ftruncate(file, 0) == 0 { count = 0 }
  }

  /// Leaves the journal to whoever opens the store next.
  func leaveBehind() { staysBehind = true }

  /// A journal that was left behind has been resolved.
  func remove() { staysBehind = false }
}
