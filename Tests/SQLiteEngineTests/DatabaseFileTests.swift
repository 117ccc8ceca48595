import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

/// What is decided about a file from what was seen of it, without a file.
struct DatabaseFileTests {
  private static func header(
    version: UInt8 = 2, pages: UInt8 = 4, format: UInt8 = 4
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 100)
    bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
    bytes[16] = 0x10
    bytes[18] = version
    bytes[19] = version
    bytes[31] = pages
    bytes[47] = format
    bytes[59] = 1
    return bytes
  }

  /// The header of a log, with its checksum.
  private static func log(pageSize: UInt8 = 0x10, version: UInt8 = 0x18) -> [UInt8] {
    var bytes: [UInt8] = [0x37, 0x7F, 0x06, 0x83, 0x00, 0x2D, 0xE2, version, 0, 0, pageSize, 0]
    bytes += [0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8]
    var sums: (UInt32, UInt32) = (0, 0)
    func word(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for offset in stride(from: 0, to: 24, by: 8) {
      sums.0 = sums.0 &+ word(offset) &+ sums.1
      sums.1 = sums.1 &+ word(offset + 4) &+ sums.0
    }
    for sum in [sums.0, sums.1] {
      bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }
    return bytes
  }

  private static func file(_ change: (inout DatabaseFile) -> Void = { _ in }) -> DatabaseFile {
    var file = DatabaseFile(path: "/a.store", kind: .file)
    file.size = 4 * 4096
    file.beginning = header()
    change(&file)
    return file
  }

  private static let content = DatabaseFile.Log(size: 5000, beginning: log())
  private static let emptyLog = DatabaseFile.Log(size: 0, beginning: [])

  @Test func aWholeFileHasNoFault() {
    let file = Self.file()
    #expect(file.fault(forWriting: true) == nil && file.fault(forWriting: false) == nil)
    #expect(DatabaseFile(path: "/a.store", kind: .missing).fault(forWriting: true) == nil)
  }

  @Test func whatIsNoFile() {
    #expect(DatabaseFile(path: "/a", kind: .folder).fault(forWriting: true) == .folder)
    #expect(DatabaseFile(path: "/a", kind: .other).fault(forWriting: true) == .notAFile)
    #expect(Self.file { $0.isReadable = false }.fault(forWriting: false) == .unreadable)
  }

  @Test func headers() {
    func fault(_ change: (inout DatabaseFile) -> Void) -> DatabaseFileProblem? {
      Self.file(change).fault(forWriting: true)
    }
    #expect(fault { $0.beginning = Array("Dear diary".utf8) } == .notADatabase)
    #expect(fault { $0.beginning[16] = 0x11 } == .damagedHeader)
    #expect(fault { $0.beginning[59] = 9 } == .damagedHeader)
    #expect(fault { $0.beginning = Self.header(version: 3) } == .newerFormat)
    #expect(fault { $0.beginning = Self.header(format: 5) } == .newerFormat)
    #expect(fault { $0.beginning = Self.header(version: 1) } == nil)
  }

  @Test func lengths() {
    func fault(_ change: (inout DatabaseFile) -> Void) -> DatabaseFileProblem? {
      Self.file(change).fault(forWriting: false)
    }
    #expect(fault { $0.size = 3 * 4096 + 100 } == .truncated(pages: 3, of: 4))
    #expect(fault { $0.size = 5 * 4096 + 100 } == nil)
    // An old writer that did not note the count has changed the file since.
    #expect(
      fault {
        $0.size = 3 * 4096
        $0.beginning[27] = 7
      } == nil)
    // The last pages may be in the log, or in a transaction that is running.
    #expect(
      fault {
        $0.size = 3 * 4096
        $0.log = Self.content
      } == nil)
    #expect(fault { $0.size = 0 } == nil)
    #expect(
      fault {
        $0.size = 0
        $0.log = Self.content
      } == .emptyBesideLog)
  }

  @Test func logs() {
    func fault(_ log: DatabaseFile.Log) -> DatabaseFileProblem? {
      Self.file { $0.log = log }.fault(forWriting: true)
    }
    #expect(fault(Self.content) == nil && Self.content.hasContent)
    #expect(fault(Self.emptyLog) == nil && !Self.emptyLog.hasContent)
    let other = DatabaseFile.Log(size: 9000, beginning: Self.log(pageSize: 0x20))
    #expect(fault(other) == .foreignLog)
    #expect(fault(.init(size: 9000, beginning: Self.log(version: 0x19))) == .newerLog)
    #expect(
      fault(.init(size: 9000, beginning: Array("no log at all, but some text of it".utf8)))
        == .foreignLog)
    // What a power failure leaves, SQLite takes for an empty log.
    var torn = Self.log()
    torn[30] ^= 1
    for beginning in [torn, [UInt8](repeating: 0, count: 32)] {
      let log = DatabaseFile.Log(size: 9000, beginning: beginning)
      #expect(fault(log) == nil && !log.hasContent)
    }
  }

  @Test func journals() {
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let rest = [UInt8](repeating: 0, count: 16)
    func file(_ header: [UInt8], isBeingWritten: Bool = false) -> DatabaseFile {
      Self.file {
        $0.journal = DatabaseFile.Journal(header: header)
        $0.isBeingWritten = isBeingWritten
      }
    }
    let journal = magic + rest + [0, 0, 0x10, 0]
    #expect(file(journal).fault(forWriting: true) == nil)
    #expect(file(journal).fault(forWriting: false) == .unfinishedTransaction)
    #expect(file(journal, isBeingWritten: true).fault(forWriting: false) == nil)
    #expect(file(magic + rest + [0, 0, 0x20, 0]).fault(forWriting: true) == .foreignJournal)
    #expect(file(Array("no journal".utf8)).fault(forWriting: true) == .foreignJournal)
    #expect(file([UInt8](repeating: 0, count: 28)).fault(forWriting: false) == nil)
    #expect(file([]).fault(forWriting: false) == nil)
  }

  @Test func permissions() {
    let file = Self.file { $0.isWritable = false }
    #expect(file.fault(forWriting: true) == .unwritableFile)
    #expect(file.fault(forWriting: false) == nil)
    let folder = Self.file { $0.isFolderWritable = false }
    #expect(folder.fault(forWriting: true) == .unwritableFolder)
    #expect(folder.fault(forWriting: false) == nil)
    var log = folder
    log.log = Self.content
    #expect(log.fault(forWriting: false) == .unreadableLog)
    log.hasSharedMemory = true
    #expect(log.fault(forWriting: false) == nil)
  }

  @Test func readingSeesOthersUnlessNobodyCanWrite() {
    func access(
      usesLog: Bool = true, writable: Bool = true, folder: Bool = true,
      _ log: DatabaseFile.Log? = nil,
      shared: Bool = false
    ) -> ReadAccess {
      Self.file {
        $0.beginning = Self.header(version: usesLog ? 2 : 1)
        $0.isWritable = writable
        $0.isFolderWritable = folder
        $0.log = log
        $0.hasSharedMemory = shared
      }.readAccess
    }
    #expect(access() == .shared && access(Self.emptyLog) == .shared)
    #expect(access(Self.content, shared: true) == .shared)
    #expect(access(usesLog: false) == .plain && access(usesLog: false, folder: false) == .plain)
    #expect(access(folder: false) == .immutable && access(writable: false) == .immutable)
    #expect(access(folder: false, Self.emptyLog) == .immutable)
    #expect(access(folder: false, Self.emptyLog, shared: true) == .plain)
    #expect(access(folder: false, Self.content, shared: true) == .plain)
    #expect(access(writable: false, Self.content) == .plain)
  }
}
