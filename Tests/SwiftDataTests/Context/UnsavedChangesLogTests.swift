import Foundation
import SwiftData
import Testing

/// The line on standard error about contexts that are gone with unsaved changes.
@Suite struct UnsavedChangesLogTests {
  private func container(in folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(
      for: Author.self,
      configurations: ModelConfiguration(url: folder.url.appending(path: "a.store")))
  }

  @Test func aPlainContextNamesTheClassesAndTheCounts() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    let saved = ModelContext(container)
    for name in ["a", "b", "c"] { saved.insert(Author(name: name)) }
    try saved.save()
    let found = try WarningLog.lines {
      let context = ModelContext(container)
      let authors = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
      authors[0].name = "z"
      context.delete(authors[1])
      context.insert(Author(name: "d"))
      context.insert(Author(name: "e"))
    }
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "A context was deinitialized with 4 unsaved changes: 2 new Author, 1 changed Author, 1 deleted Author."
      )
        == true, "\(found)")
  }

  @Test func aContainerIsReportedOnce() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    let found = WarningLog.lines {
      for number in 0..<30 { ModelContext(container).insert(Author(name: "\(number)")) }
    }
    #expect(found.count == 1)
  }

  @Test func whatIsSavedOrRolledBackIsNotReported() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    let found = try WarningLog.lines {
      let first = ModelContext(container)
      first.insert(Author(name: "a"))
      try first.save()
      let second = ModelContext(container)
      second.insert(Author(name: "b"))
      second.rollback()
    }
    #expect(found == [])
  }

  @Test func aSwitchTurnsItOff() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    let found = WarningLog.lines {
      let context = ModelContext(container)
      context.reportsUnsavedChanges = false
      context.insert(Author(name: "a"))
    }
    #expect(found == [])
  }

  @Test @MainActor func storesInMemoryAreNotReported() throws {
    let container = try ModelContainer(
      for: Author.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let found = WarningLog.lines {
      for hasAutosave in [false, true] {
        let context = ModelContext(container)
        context.autosaveEnabled = hasAutosave
        context.insert(Author(name: "a"))
      }
    }
    #expect(found == [])
  }

  @Test @MainActor func aContextWithAutosaveIsReportedOnce() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    let found = WarningLog.lines {
      for number in 0..<5 {
        let context = ModelContext(container)
        context.autosaveEnabled = true
        context.insert(Author(name: "\(number)"))
      }
    }
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix("A context with autosave was deinitialized with 1 unsaved change:")
        == true, "\(found)")
  }
}
