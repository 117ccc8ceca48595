import Foundation
import SwiftData

/// Notes on a server, read and written through a store of the example.
@main
struct RemoteNotes {
  static func main() async throws {
    let server = try await Server.start()
    print("The notes are at \(server.url).")
    let first = try ModelContext(container(server.url))
    for text in ["Buy tickets", "Pack", "Water the plants"] { first.insert(Note(text)) }
    try first.save()

    // Another client has another container and a cache of its own.
    let second = try ModelContext(container(server.url))
    let open = FetchDescriptor<Note>(
      predicate: #Predicate { !$0.isDone && $0.text.contains("a") },
      sortBy: [SortDescriptor(\.text)])
    let found = try second.fetch(open)
    print("Open notes with an a: \(found.map(\.text).joined(separator: ", "))")
    try check(found.map(\.text) == ["Pack", "Water the plants"], "a query")

    found[0].isDone = true
    second.delete(found[1])
    try second.save()
    try check(try first.fetchCount(FetchDescriptor<Note>()) == 2, "a deletion by another client")
    try check(try first.fetch(open).isEmpty, "a change by another client")

    await server.stop()
    let offline = try second.fetch(FetchDescriptor<Note>())
    print("Without the server, \(offline.count) note is in the cache.")
    try check(offline.map(\.text) == ["Pack"], "a fetch without the server")
    let remaining = try first.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
    try check(remaining.map(\.text) == ["Buy tickets", "Pack"], "a deleted row in the cache")
    second.insert(Note("Send a card"))
    do {
      try second.save()
      try check(false, "a save without the server")
    } catch let error as RemoteStoreError {
      print(error)
      try check(second.hasChanges, "changes that are kept")
      second.rollback()
    }
  }

  private static func container(_ url: URL) throws -> ModelContainer {
    let configuration = RemoteStoreConfiguration(url: url)
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  private static func check(_ isRight: Bool, _ subject: String) throws {
    if !isRight { throw WrongResult(subject: subject) }
  }
}

/// Makes the program end with an exit code other than 0.
struct WrongResult: Error {
  let subject: String
}
