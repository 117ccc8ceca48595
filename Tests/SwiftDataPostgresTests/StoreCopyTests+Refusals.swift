import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

extension StoreCopyTests {
  private func error(_ body: () throws -> Void) -> SwiftDataError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  /// The address of the schema for a role without rights to it.
  private func addressOfStranger(_ grant: (String, String) -> String) throws -> String {
    let role = "stranger_" + UUID().uuidString.lowercased().prefix(8)
    let schema = try #require(address.split(separator: "=").last?.dropLast())
    let admin = try PostgresServer.shared.connect()
    try admin.execute("CREATE ROLE \(role) LOGIN; " + grant(String(schema), role))
    return address.replacing("user=postgres", with: "user=\(role)")
  }

  @Test func aPreviewFindsASchemaInWhichNoTablesCanBeCreated() throws {
    let url = try folder.makeStore(albums: 2)
    let place = try addressOfStranger { "GRANT USAGE ON SCHEMA \($0) TO \($1)" }
    let copy = StoreCopy(from: .file(url), to: try .database(place))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("GRANT CREATE"), "\(problems)")
    let failure = error { _ = try copy.run() }
    #expect(failure?.description.contains("GRANT CREATE") == true)
    #expect(failure?.description.contains("is kept") == false)
  }

  @Test func aPreviewFindsAStandby() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let standby = try PostgresStandby(of: server, port: 5434)
    let place = "host=\(standby.parameters["host"] ?? "") port=5434 user=postgres dbname=postgres"
    let copy = StoreCopy(from: .file(try folder.makeStore(albums: 2)), to: try .database(place))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("is a standby"), "\(problems)")
  }

  @Test func aPreviewFindsAFolderThatIsMissing() throws {
    let url = try folder.makeStore(albums: 2)
    let copy = StoreCopy(
      from: .file(url), to: .file(folder.url.appending(path: "missing/back.store")))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("There is no folder"), "\(problems)")
    #expect(error { _ = try copy.run() }?.description.contains("There is no folder") == true)
  }

  @Test(.enabled(if: geteuid() != 0))
  func aPreviewFindsAFolderThatCannotBeWritten() throws {
    let url = try folder.makeStore(albums: 2)
    let closed = folder.url.appending(path: "closed")
    try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: closed.path)
    let copy = StoreCopy(from: .file(url), to: .file(closed.appending(path: "back.store")))
    #expect(try copy.preview().problems.first?.contains("can't be written") == true)
  }

  @Test func aCopyThatCouldNotBeginSaysThatNothingWasCopied() throws {
    let context = ModelContext(try database(address))
    context.insert(Album("a"))
    try context.save()
    let place = try addressOfStranger {
      """
      GRANT USAGE ON SCHEMA \($0) TO \($1); GRANT SELECT ON ALL TABLES IN SCHEMA \($0) TO \($1); \
      GRANT SELECT ON ALL SEQUENCES IN SCHEMA \($0) TO \($1); REVOKE ALL ON \($0)."ZALBUM" FROM \($1)
      """
    }
    let copy = StoreCopy(from: try .database(place), to: .file(folder.file("back.store")))
    let failure = error { _ = try copy.run() }
    #expect(failure?.description.contains("this run has copied nothing") == true)
    #expect(failure?.description.contains("42501") == true)
    let check = error { _ = try copy.preview() }
    #expect(check?.description.contains("nothing was changed") == true)
  }

  /// Each step of a copy that writes the file of a large value.
  @Test(.enabled(if: FailureInjector.isAvailable))
  func aFullVolumeAtALargeValueIsDescribed() throws {
    let url = folder.file("large.store")
    let context = ModelContext(try file(url))
    let album = Album("a")
    album.cover = Data(repeating: 1, count: 300_000)
    context.insert(album)
    try context.save()
    func copy(_ number: Int) -> StoreCopy {
      StoreCopy(from: .file(url), to: .file(folder.file("\(number)/back.store")))
    }
    func makeFolder(_ number: Int) throws {
      try FileManager.default.createDirectory(
        at: folder.file("\(number)"), withIntermediateDirectories: false)
    }
    let all = FailureInjector(failingAt: .max, .full)
    try makeFolder(0)
    _ = try all.run { try copy(0).run() }
    let steps = all.operations.enumerated().filter { step in
      ["make ", "write ", "rename ", "synchronize "].contains { step.element.hasPrefix($0) }
    }
    #expect(steps.contains { $0.element.hasPrefix("write ") })
    for (index, name) in steps {
      let number = index + 1
      try makeFolder(number)
      let injector = FailureInjector(failingAt: number, .full)
      let failure = error { _ = try injector.run { try copy(number).run() } }
      #expect(failure?.reason == .diskFull, "\(name)")
      let text = failure?.description ?? ""
      #expect(text.contains("\(number)/back.store stopped"), "\(name): \(text)")
      #expect(text.contains("is kept") && text.contains("Free space"), "\(name): \(text)")
      _ = try copy(number).run()
    }
  }

  /// An error of the caller's own passes as it is.
  @Test func anErrorOfTheProgressIsThrownAsItIs() throws {
    let copy = StoreCopy(
      from: .file(try folder.makeStore(albums: 2)), to: .file(folder.file("back.store")))
    #expect(throws: POSIXError(.EINTR)) { try copy.run { _ in throw POSIXError(.EINTR) } }
    #expect(throws: POSIXError(.EINTR)) { try copy.preview { _ in throw POSIXError(.EINTR) } }
  }
}
