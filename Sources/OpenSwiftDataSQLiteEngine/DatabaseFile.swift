import Foundation

/// The state of a database file and of the files beside it, before SQLite uses them.
///
/// Reading it changes no byte and creates no file. `DatabaseFile+Faults` and `ReadAccess` draw the
/// conclusions.
package struct DatabaseFile: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case missing, file, folder, other }

  /// The log of a database in WAL mode.
  package struct Log: Hashable, Sendable {
    let size: Int
    let header: LogHeader.Reading

    package init(size: Int, beginning: [UInt8]) {
      self.size = size
      header = LogHeader.read(beginning)
    }

    /// Whether it may contain commits that the database file lacks.
    package var hasContent: Bool {
      if case .header = header { size > LogHeader.length } else { false }
    }
  }

  /// The journal of an interrupted or running transaction; the journal of a finished one has no
  /// header.
  package struct Journal: Hashable, Sendable {
    static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    let header: [UInt8]

    package init(header: [UInt8]) { self.header = header }

    package var isBegun: Bool { header.first.map { $0 != 0 } ?? false }

    var isJournal: Bool { header.starts(with: Self.magic) }

    /// The page size of the database that the journal belongs to.
    var pageSize: Int? { header.count >= 28 ? header.bigEndian32(at: 24) : nil }
  }

  package var path: String
  package var kind: Kind
  package var size = 0
  /// The modification date of the file.
  var modified: Date?
  /// The first bytes of the file.
  package var beginning: [UInt8] = []
  package var isReadable = true
  package var isWritable = true
  package var isFolderWritable = true
  package var log: Log?
  package var journal: Journal?
  package var hasSharedMemory = false
  /// Whether a connection is in a write transaction with a rollback journal.
  package var isBeingWritten = false

  package var header: DatabaseHeader? { DatabaseHeader(beginning) }

  package init(path: String, kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// Reads the state of the files at a path.
  /// - Throws: `SQLiteError` if SQLite can't open the file at all.
  package init(at path: String) throws {
    self.init(path: path, kind: Self.kind(of: path))
    guard kind == .file else { return }
    let files = FileManager.default
    isReadable = files.isReadableFile(atPath: path)
    guard isReadable else { return }
    let raw = try RawDatabaseFile(path: path)
    self.path = raw.path
    isWritable = files.isWritableFile(atPath: raw.path)
    isFolderWritable = files.isWritableFile(
      atPath: URL(fileURLWithPath: raw.path).deletingLastPathComponent().path)
    // The length is read last, because another process may be adding pages.
    beginning = raw.bytes(at: 0, count: DatabaseHeader.length)
    size = raw.size
    modified = Self.attributes(of: self.path)?[.modificationDate] as? Date
    if let size = Self.size(of: logPath) {
      log = Log(size: size, beginning: Self.bytes(of: logPath, LogHeader.length))
    }
    readJournal(raw)
    hasSharedMemory = Self.size(of: sharedMemoryPath) != nil
  }

  /// A journal is left by an interrupted transaction only if it is unchanged before and after a
  /// check that found no writer.
  private mutating func readJournal(_ raw: RawDatabaseFile) {
    journal = foundJournal
    for _ in 0..<100 {
      isBeingWritten = raw.isBeingWritten
      if isBeingWritten || journal?.isBegun != true { return }
      let later = foundJournal
      if later == journal { return }
      journal = later
    }
  }

  private var foundJournal: Journal? {
    if Self.size(of: journalPath) == nil { return nil }
    return Journal(header: Self.bytes(of: journalPath, 28))
  }

  package var logPath: String { path + "-wal" }
  package var sharedMemoryPath: String { path + "-shm" }
  package var journalPath: String { path + "-journal" }

  private static func kind(of path: String) -> Kind {
    let type =
      (try? FileManager.default.attributesOfItem(
        atPath: resolvedPath(path)))?[.type]
    switch type as? FileAttributeType {
    case nil: return .missing
    case .typeRegular?: return .file
    case .typeDirectory?: return .folder
    default: return .other
    }
  }

  package static func size(of path: String) -> Int? {
    (attributes(of: path)?[.size] as? NSNumber)?.intValue
  }

  /// The number of names that a file has; `nil` if it is missing.
  package static func linkCount(of path: String) -> Int? {
    (attributes(of: path)?[.referenceCount] as? NSNumber)?.intValue
  }

  private static func attributes(of path: String) -> [FileAttributeKey: Any]? {
    try? FileManager.default.attributesOfItem(atPath: path)
  }

  // SQLite locks neither logs nor journals, so a separate descriptor may read them.
  private static func bytes(of path: String, _ count: Int) -> [UInt8] {
    guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: count)).map { [UInt8]($0) } ?? []
  }
}

extension DatabaseFile {
  /// Lengths, modification times and headers of a database and its log: different after a write.
  package struct Stamp: Hashable, Sendable {
    private let sizes: [Int?]
    private let dates: [Date?]
    /// The counter of changes and the salts of the log also differ within one tick of the clock.
    private let headers: [[UInt8]]

    /// - Parameter path: A path with symbolic links resolved.
    package init(of path: String) {
      let log = path + "-wal"
      sizes = [path, log].map(DatabaseFile.size(of:))
      dates = [path, log].map { DatabaseFile.attributes(of: $0)?[.modificationDate] as? Date }
      let raw = sizes[0].flatMap { _ in try? RawDatabaseFile(path: path) }
      headers = [
        raw?.bytes(at: 0, count: DatabaseHeader.length) ?? [],
        DatabaseFile.bytes(of: log, LogHeader.length),
      ]
    }
  }
}
