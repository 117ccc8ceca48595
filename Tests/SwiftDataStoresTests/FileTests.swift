import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Suite("The file of a document")
struct FileTests {
  private func save(_ label: String, in file: URL) throws {
    let container = try ModelContainer(
      for: library, configurations: [JSONStoreConfiguration(url: file)])
    let context = ModelContext(container)
    context.insert(Shelf(label))
    try context.save()
  }

  @Test func aLinkStaysALink() throws {
    let (folder, other) = (try Folder(), try Folder())
    try FileManager.default.createSymbolicLink(
      atPath: folder.file.path, withDestinationPath: other.file.path)
    // The first save creates the target, the second one replaces it.
    try save("A", in: folder.file)
    try save("B", in: folder.file)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.file.path) == other.file.path
    )
    #expect(try other.context().all(Shelf.self).count == 2)
    #expect(try folder.names == ["library.json"])
    #expect(try other.names == ["library.json"])
  }

  @Test func permissionsStay() throws {
    let folder = try Folder()
    try save("A", in: folder.file)
    for permissions in [0o600, 0o664, 0o640] {
      try FileManager.default.setAttributes(
        [.posixPermissions: permissions], ofItemAtPath: folder.file.path)
      try save("B", in: folder.file)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file.path)
      #expect(attributes[.posixPermissions] as? Int == permissions)
    }
  }

  @Test func aFolderThatDoesNotExist() throws {
    let folder = try Folder()
    let file = folder.url.appending(path: "missing/library.json")
    let error = #expect(throws: DocumentStoreError.self) { try save("A", in: file) }
    #expect(error?.code == .unreadableFile)
    #expect(error?.explanation.contains("No such file or directory") == true)
  }

  @Test func aFolderInThePlaceOfTheFile() throws {
    let folder = try Folder()
    let error = #expect(throws: DocumentStoreError.self) { try save("A", in: folder.url) }
    #expect(error?.code == .unreadableFile)
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may write everywhere"))
  func aFolderThatIsReadOnly() throws {
    try checkFailingSave(of: .notWritten) { folder in
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
    } repair: { folder in
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    }
  }

  @Test(.enabled(if: Mount.isPermitted, "file systems can't be mounted here"))
  func aFileSystemThatIsReadOnly() throws {
    try Mount.use(size: "1m") { mount in
      try checkFailingSave(of: .notWritten, in: mount) { folder in
        try Mount.run("mount", "-o", "remount,ro", folder.path)
      } repair: { folder in
        try Mount.run("mount", "-o", "remount,rw", folder.path)
      }
    }
  }

  @Test(.enabled(if: Mount.isPermitted, "file systems can't be mounted here"))
  func aFullDisk() throws {
    try Mount.use(size: "64k") { mount in
      try checkFailingSave(of: .notWritten, in: mount) { folder in
        let filler = folder.appending(path: "filler")
        try Data().write(to: filler)
        let handle = try FileHandle(forWritingTo: filler)
        // Until nothing fits any more.
        while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
        try handle.close()
      } repair: { folder in
        try FileManager.default.removeItem(at: folder.appending(path: "filler"))
      }
    }
  }

  /// A save that fails leaves the file and no other one, and succeeds later.
  private func checkFailingSave(
    of code: DocumentStoreError.Code, in given: URL? = nil, prepare: (URL) throws -> Void,
    repair: (URL) throws -> Void
  ) throws {
    let own = try Folder()
    let folder = given ?? own.url
    let file = folder.appending(path: "library.json")
    try save("A", in: file)
    let text = try String(contentsOf: file, encoding: .utf8)
    let container = try ModelContainer(
      for: library, configurations: [JSONStoreConfiguration(url: file)])
    let context = ModelContext(container)
    try prepare(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    context.insert(Shelf("B"))
    let error = #expect(throws: DocumentStoreError.self) { try context.save() }
    #expect(error?.code == code)
    #expect(error?.url == file)
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
    #expect(context.hasChanges)
    try repair(folder)
    try context.save()
    #expect(try ModelContext(container).all(Shelf.self).count == 2)
  }

  @Test func whatAKilledSaveLeftIsOverwritten() throws {
    let folder = try Folder()
    try save("A", in: folder.file)
    try Data("{\"half\": ".utf8).write(to: folder.url.appending(path: ".library.json.new"))
    try save("B", in: folder.file)
    #expect(try folder.names == ["library.json"])
    #expect(try folder.context().all(Shelf.self).count == 2)
  }

  @Test func erasingLeavesADocumentWithoutRows() throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let store = try JSONStore(
      JSONStoreConfiguration(schema: library, url: folder.file), migrationPlan: nil)
    // Also what can't be read can be erased.
    try folder.write("{")
    try store.erase()
    #expect(try folder.context().all(Book.self).isEmpty)
    #expect(try folder.read().contains("\"store\": \"lib\""))
    #expect(try folder.names == ["library.json"])
  }

  @Test func theNameIsThatOfTheFile() {
    let configuration = JSONStoreConfiguration(url: URL(filePath: "/tmp/my library.json"))
    #expect(configuration.name == "my library")
    #expect(throws: DocumentStoreError.self) {
      try JSONStoreConfiguration(url: URL(filePath: "/tmp/", directoryHint: .isDirectory))
        .validate()
    }
  }
}

/// File systems in memory, for the superuser.
enum Mount {
  static let isPermitted: Bool = (try? use(size: "16k") { _ in }) != nil

  static func use(size: String, _ body: (URL) throws -> Void) throws {
    let folder = try Folder()
    try run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.url.path)
    defer { try? run("umount", folder.url.path) }
    try body(folder.url)
  }

  static func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw CocoaError(.featureUnsupported) }
  }
}
