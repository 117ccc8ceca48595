import OpenSwiftDataSQLiteEngine

// None of this is in Apple's framework.

extension ModelConfiguration {
  /// How a store uses SQLite. The defaults suit an app; a server with a large file may raise them.
  ///
  /// Values outside of their ranges are refused when the store is opened.
  public struct SQLiteOptions: Hashable, Sendable {
    /// When a commit is safe from a power failure.
    public enum Durability: Hashable, Sendable {
      /// Commits survive a crash of the program.
      ///
      /// A power failure or a crash of the system may undo the last ones, and leaves the file
      /// consistent. SQLite's `synchronous = NORMAL`.
      case normal

      /// Each commit waits until it is on disk, and survives a power failure. SQLite's
      /// `synchronous = FULL`.
      case full
    }

    /// The number of connections for reading besides the one for writing, from 1 to 64.
    ///
    /// So many fetches can run at the same time. More than the number of cores helps only if reads
    /// wait for the disk. A connection is opened when it is needed first, and then keeps its page
    /// cache. The default is 3.
    public var readers = 3

    /// The size of the page cache of each connection in bytes, at least 64 KiB.
    ///
    /// Pages outside of it are copied from the system's cache again. The default is 8,192,000.
    public var pageCacheSize = ConnectionTuning().pageCacheSize

    /// How much of the file is mapped into memory, in bytes; 0, the default, maps nothing.
    ///
    /// Mapped pages are read without being copied. A failing disk stops the program instead of
    /// throwing an error. SQLite limits the value, usually to 2 GiB.
    public var memoryMapSize = ConnectionTuning().memoryMapSize

    /// How long an operation waits for another writer, or for a free connection, before it throws
    /// an error with the reason ``SwiftDataError/Reason/busy``.
    ///
    /// With `nil`, the default, it waits ten seconds for other processes and a minute for other
    /// threads of the process. ``ModelContext/transaction(waitingAtMost:block:)`` sets a limit for
    /// one transaction.
    public var busyTimeout: Duration?

    /// When a commit is safe from a power failure. The default is ``Durability/normal``.
    public var durability = Durability.normal

    /// The size from which the write-ahead log is written back into the file, in bytes, at least
    /// 64 KiB.
    ///
    /// The commit that exceeds it does the work. The log can grow beyond it while a long read or a
    /// backup runs, or by a single large save; it is cut afterwards. A larger log makes writing
    /// cheaper and opening after a crash slower. The default is 4,096,000.
    public var logLimit = ConnectionTuning().logLimit

    init() {}
  }
}

extension ModelConfiguration.SQLiteOptions {
  private static let smallestSize = 65_536

  func validate() throws {
    try require((1...64).contains(readers), "readers", "\(readers)", "a number from 1 to 64")
    try require(
      pageCacheSize >= Self.smallestSize, "pageCacheSize", "\(pageCacheSize)",
      "at least \(Self.smallestSize) bytes")
    try require(memoryMapSize >= 0, "memoryMapSize", "\(memoryMapSize)", "0 or more bytes")
    try require(
      logLimit >= Self.smallestSize, "logLimit", "\(logLimit)",
      "at least \(Self.smallestSize) bytes")
    if let busyTimeout {
      // SQLite takes milliseconds as a 32-bit number.
      try require(
        busyTimeout >= .zero && busyTimeout <= .seconds(86_400), "busyTimeout", "\(busyTimeout)",
        "from zero to one day")
    }
  }

  private func require(
    _ condition: Bool, _ name: String, _ value: String, _ allowed: String
  ) throws {
    try SwiftDataError.requireOption(condition, "sqlite.\(name)", value, allowed)
  }

  var tuning: ConnectionTuning {
    var tuning = ConnectionTuning()
    tuning.pageCacheSize = pageCacheSize
    tuning.memoryMapSize = memoryMapSize
    tuning.isFullySynchronous = durability == .full
    tuning.logLimit = logLimit
    return tuning
  }

  var connectionTimeout: Duration { busyTimeout ?? Connection.defaultBusyTimeout }

  var seatTimeout: Duration { busyTimeout ?? ConnectionPool.defaultSeatTimeout }
}
