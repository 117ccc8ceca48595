import Foundation
import SwiftData
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files and folders of large values have the owner and the permissions of the store, as SQLite's log has: another
/// user who may write the store may write them too.
@Suite struct FileAccessTests {
  typealias Picture = External.Picture

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    _ = try External.container(folder.store)
  }

  private struct Access: Equatable {
    var mode: mode_t
    var owner: uid_t
    var group: gid_t
  }

  private func access(_ url: URL) throws -> Access {
    var status = stat()
    try #require(stat(url.path, &status) == 0)
    return Access(mode: status.st_mode & 0o7777, owner: status.st_uid, group: status.st_gid)
  }

  /// What a save of a large value has made: the folders, then the file of the value and the journal.
  private func made() throws -> [Access] {
    let container = try External.container(folder.store)
    let context = ModelContext(container)
    context.insert(Picture("a", External.bytes(1)))
    try context.save()
    let value = try #require(folder.valueNames.first)
    let journal = try #require(folder.journals.first)
    return try withExtendedLifetime(container) {
      try [
        folder.support, folder.values, folder.values.appending(path: value),
        folder.support.appending(path: journal),
      ].map(access)
    }
  }

  @Test(arguments: [(0o664, 0o775), (0o600, 0o700), (0o660, 0o770)] as [(mode_t, mode_t)])
  func whoMayWriteTheStoreMayWriteItsValues(_ file: mode_t, _ directory: mode_t) throws {
    #expect(chmod(folder.store.path, file) == 0)
    #expect(try made().map(\.mode) == [directory, directory, file, file])
  }

  @Test func theGroupOfAFolderIsInherited() throws {
    #expect(chmod(folder.url.path, 0o2775) == 0 && chmod(folder.store.path, 0o664) == 0)
    #expect(try made().map(\.mode) == [0o2775, 0o2775, 0o664, 0o664])
  }

  @Test(.enabled(if: geteuid() == 0))
  func whatRootMakesBelongsToTheOwnerOfTheStore() throws {
    #expect(chown(folder.store.path, 65_534, 65_533) == 0)
    let made = try made()
    #expect(made.map(\.owner) == [65_534, 65_534, 65_534, 65_534])
    #expect(made.map(\.group) == [65_533, 65_533, 65_533, 65_533])
  }

  #if os(Linux)
    /// What the thread of a superuser makes who may not give files away, as in some containers.
    /// - Returns: The folders, then the file of a value.
    private func madeWithoutGiving() async throws -> [Access] {
      let external = ExternalFolder(of: folder.store)
      try await onThread {
        try Capabilities.drop(Capabilities.chown)
        try external.make()
        try external.write(External.bytes(1), named: "value")
      }
      return try [folder.support, folder.values, folder.values.appending(path: "value")].map(access)
    }

    /// A user may give files to a group of their own.
    @Test(.enabled(if: geteuid() == 0))
    func whatAMemberMakesBelongsToTheGroupOfTheStore() async throws {
      // New files get the group of the folder.
      #expect(chown(folder.url.path, 0, 65_533) == 0 && chmod(folder.url.path, 0o2775) == 0)
      let group = getegid()
      #expect(chown(folder.store.path, 65_534, group) == 0 && chmod(folder.store.path, 0o660) == 0)
      let made = try await madeWithoutGiving()
      #expect(made.map(\.owner) == [0, 0, 0])
      #expect(made.map(\.group) == [group, group, group])
      #expect(made.map { $0.mode & 0o777 } == [0o770, 0o770, 0o660])
    }

    /// Nobody else may read them, even if the owner of the store may not either.
    @Test(.enabled(if: geteuid() == 0), arguments: [0o640, 0o600, 0o664] as [mode_t])
    func valuesHaveThePermissionsOfTheStore(_ mode: mode_t) async throws {
      #expect(chown(folder.store.path, 65_534, 65_533) == 0 && chmod(folder.store.path, mode) == 0)
      #expect(try await madeWithoutGiving().last?.mode == mode)
    }
  #endif

  /// Somebody has made it so.
  @Test func existingFoldersStayAsTheyAre() throws {
    try FileManager.default.createDirectory(at: folder.values, withIntermediateDirectories: true)
    #expect(chmod(folder.values.path, 0o711) == 0 && chmod(folder.store.path, 0o664) == 0)
    #expect(try made()[1].mode == 0o711)
  }

  @Test func theErrorNamesTheOwnerOfAFolderThatCannotBeWritten() throws {
    let context = ModelContext(try External.container(folder.store))
    let picture = Picture("a", External.bytes(1))
    context.insert(picture)
    try context.save()
    let other = ModelContext(try External.container(folder.store))
    #expect(chmod(folder.support.path, 0o555) == 0)
    defer { chmod(folder.support.path, 0o755) }
    // The superuser may write everywhere.
    guard geteuid() != 0 else { return }
    let stored = try #require(try other.fetch(FetchDescriptor<Picture>()).first)
    other.delete(stored)
    let error = try #require(#expect(throws: SwiftDataError.self) { try other.save() })
    #expect(error.reason == .readOnly)
    let text = error.description
    #expect(text.contains("The removal of large values can't be prepared in"), "\(text)")
    #expect(text.contains("The folder \(folder.support.path) belongs to "), "\(text)")
    #expect(text.contains("(mode 555), and the store to ") && text.contains("chown -R"), "\(text)")
  }

  /// A journal that is empty is not left, whoever still holds the container.
  @Test func closingLeavesNoJournal() async throws {
    let container = try External.container(folder.store)
    let context = ModelContext(container)
    context.insert(Picture("a", External.bytes(1)))
    try context.save()
    #expect(folder.journals.count == 1)
    try await container.close()
    #expect(folder.journals.isEmpty && folder.valueNames.count == 1)
    withExtendedLifetime(context) {}
  }

  /// The file of a value that a deleted model still shows is removed after the model.
  @Test func closingKeepsTheJournalOfAFileThatIsInUse() async throws {
    let container = try External.container(folder.store)
    let context = ModelContext(container)
    let picture = Picture("a", External.bytes(1))
    context.insert(picture)
    try context.save()
    context.delete(picture)
    try context.save()
    let isInUse = !folder.valueNames.isEmpty
    try await container.close()
    #expect(folder.journals.isEmpty == !isInUse)
    withExtendedLifetime(picture) {}
  }
}

#if os(Linux)
  /// What the calling thread may do, without effect on others.
  private enum Capabilities {
    static let chown: UInt32 = 1 << 0

    /// The system's own call, of which the C library has no header.
    private typealias Call =
      @convention(c) (
        UnsafeMutableRawPointer, UnsafeMutableRawPointer
      ) -> Int32

    private static func call(_ name: String) throws -> Call {
      let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), name))
      return unsafeBitCast(symbol, to: Call.self)
    }

    static func drop(_ capability: UInt32) throws {
      var header: (version: UInt32, thread: Int32) = (0x2008_0522, 0)
      // Twice those in effect, those that may be, and those that programs inherit.
      var sets: [UInt32] = [0, 0, 0, 0, 0, 0]
      try #require(call("capget")(&header, &sets) == 0)
      sets[0] &= ~capability
      try #require(call("capset")(&header, &sets) == 0)
    }
  }
#endif
