import Foundation
import SwiftData
import Testing

@testable import Blog

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A deployment of new models: the program is run, as a deployment runs it.
final class DeploymentTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("blog-\(UUID().uuidString)")
  private var store: URL { folder.appendingPathComponent("blog.store") }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func `serves an older store only after Blog migrate, and keeps its posts`() async throws {
    try await writeOlderStore()
    let before = try Data(contentsOf: store)

    let refused = try BlogProcess("serve", "--store", store.path, "--port", "0").finished()
    #expect(refused.status != 0)
    #expect(refused.output == "")
    #expect(refused.errors.contains("Blog migrate --store '\(store.path)'"))
    #expect(refused.errors.contains("has to be migrated"))
    #expect(try Data(contentsOf: store) == before)

    let migrated = try BlogProcess("migrate", "--store", store.path).finished()
    #expect(migrated.status == 0)
    #expect(migrated.output.contains("Comment"))

    let server = try BlogProcess("serve", "--store", store.path, "--port", "0")
    let line = server.line()
    let address = try #require(
      line.split(separator: " ").last.flatMap { URL(string: "\($0)/posts") }, "\(line)")
    let page = String(decoding: try Data(contentsOf: address), as: UTF8.self)
    #expect(page.contains(#""title":"Before images""#))
    #expect(page.contains(#""likes":3"#))
    #expect(try server.terminated() == 0)
  }

  @Test func `the program without versions does not migrate a store back`() throws {
    let made = try BlogProcess("migrate", "--store", store.path).finished()
    #expect(made.status == 0, "\(made.errors)")

    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: OlderBlog.schema,
        configurations: [ModelConfiguration("blog", schema: OlderBlog.schema, url: store)])
    }
    #expect(error == .backwardMigration, "\(String(describing: error))")
  }

  @Test func `an older program changes no store of a newer one`() async throws {
    try await NewerBlog.migrate(store)
    let before = try Data(contentsOf: store)

    for command in ["migrate", "serve"] {
      let refused = try BlogProcess(command, "--store", store.path).finished()
      #expect(refused.status != 0)
      #expect(refused.errors.contains("newer"), "\(refused.errors)")
      #expect(!refused.errors.contains("Blog migrate"))
    }
    #expect(try Data(contentsOf: store) == before)
  }

  @Test func `a server whose store is migrated ends with an error`() async throws {
    let made = try BlogProcess("migrate", "--store", store.path).finished()
    #expect(made.status == 0, "\(made.errors)")
    let server = try BlogProcess("serve", "--store", store.path, "--port", "0")
    #expect(server.line().contains("http://"))

    try await NewerBlog.migrate(store)

    let ended = try server.finished()
    #expect(ended.status != 0)
    #expect(ended.errors.contains("The store was migrated or replaced"), "\(ended.errors)")
  }

  @Test func `serve and backup refuse a missing store`() throws {
    let copy = folder.appendingPathComponent("copy.store")
    for arguments in [["serve", "--port", "0"], ["backup", copy.path]] {
      let refused = try BlogProcess(arguments + ["--store", store.path]).finished()
      #expect(refused.status != 0)
      #expect(refused.errors.contains("Blog migrate --store '\(store.path)'"), "\(refused.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a backup reports images that the store has lost`() async throws {
    let container = try ModelContainer(
      for: blogSchema,
      configurations: [ModelConfiguration("blog", schema: blogSchema, url: store)])
    let context = ModelContext(container)
    let post = Post(title: "A", body: "b", author: Author(email: "ada@blog.example", name: "Ada"))
    context.insert(Image(mediaType: "image/png", data: Data(count: 200_000), post: post))
    try context.save()
    try await container.close()

    let whole = folder.appendingPathComponent("whole.store")
    let first = try BlogProcess("backup", "--store", store.path, whole.path).finished()
    #expect(first.status == 0, "\(first.errors)")

    try FileManager.default.removeItem(at: folder.appendingPathComponent(".blog_SUPPORT"))
    let partial = folder.appendingPathComponent("partial.store")
    let second = try BlogProcess("backup", "--store", store.path, partial.path).finished()
    #expect(second.status != 0)
    #expect(second.errors.contains("1 images"), "\(second.errors)")
    #expect(FileManager.default.fileExists(atPath: partial.path))
  }

  private func writeOlderStore() async throws {
    let container = try ModelContainer(
      for: OlderBlog.schema,
      configurations: [ModelConfiguration("blog", schema: OlderBlog.schema, url: store)])
    let context = ModelContext(container)
    let author = OlderBlog.Author(email: "ada@blog.example", name: "Ada")
    context.insert(OlderBlog.Post(title: "Before images", author: author))
    try context.save()
    try await container.close()
  }
}

/// A run of the program, which is built into the folder of the tests.
private final class BlogProcess {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  convenience init(_ arguments: String...) throws { try self.init(arguments) }

  init(_ arguments: [String]) throws {
    process.executableURL = Bundle.main.bundleURL.appendingPathComponent("Blog")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    var environment = ProcessInfo.processInfo.environment
    environment["DATABASE_URL"] = nil
    process.environment = environment
    try process.run()
    // A program that should have ended does not stop the tests.
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [process] in
      if process.isRunning { process.terminate() }
    }
  }

  /// Waits until the program ends. It writes less than a pipe holds.
  func finished() throws -> (status: Int32, output: String, errors: String) {
    process.waitUntilExit()
    return (process.terminationStatus, try text(of: output), try text(of: errors))
  }

  /// What the program has written when it is ready.
  func line() -> String {
    String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .newlines)
  }

  func terminated() throws -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func text(of pipe: Pipe) throws -> String {
    String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
}
