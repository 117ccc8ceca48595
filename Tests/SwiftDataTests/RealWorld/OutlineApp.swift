import Foundation
import SwiftData
import Testing

/// A tree of folders with notes, optional to-many relationships as synced apps declare them.
enum OutlineApp {
  @Model
  class Folder {
    var name: String = ""
    var order: Int = 0
    var parent: Folder?
    @Relationship(deleteRule: .cascade, inverse: \OutlineApp.Folder.parent) var folders: [Folder]?
    @Relationship(deleteRule: .cascade, inverse: \OutlineApp.Page.folder) var pages: [Page]?

    init(name: String, parent: Folder? = nil) {
      self.name = name
      self.parent = parent
    }

    var path: String { parent.map { $0.path + "/" + name } ?? name }
    var depth: Int { 1 + ((folders ?? []).map(\.depth).max() ?? 0) }
    var unwrappedPages: [Page] {
      get { pages ?? [] }
      set { pages = newValue }
    }
  }

  @Model
  class Page: CustomStringConvertible {
    var text: String = ""
    var isPinned: Bool?
    var folder: Folder?

    var description: String { "Page(\(text))" }

    init(text: String, folder: Folder? = nil) {
      self.text = text
      self.folder = folder
    }
  }
}

@Suite(.databases) struct OutlineAppTests {
  @Test func aTreeIsBuiltWalkedAndPruned() throws {
    let container = try ModelContainer(
      for: OutlineApp.Folder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let root = OutlineApp.Folder(name: "root")
    context.insert(root)
    let work = OutlineApp.Folder(name: "work", parent: root)
    let deep = OutlineApp.Folder(name: "deep", parent: work)
    context.insert(work)
    context.insert(deep)
    deep.unwrappedPages.append(OutlineApp.Page(text: "a"))
    deep.unwrappedPages.append(OutlineApp.Page(text: "b"))
    root.pages = [OutlineApp.Page(text: "c")]
    try context.save()
    let roots = FetchDescriptor<OutlineApp.Folder>(predicate: #Predicate { $0.parent == nil })
    let other = ModelContext(container)
    let stored = try #require(try other.fetch(roots).first)
    #expect(stored.depth == 3)
    #expect(stored.folders?.first?.folders?.first?.path == "root/work/deep")
    #expect(stored.pages?.map(\.description) == ["Page(c)"])
    other.delete(try #require(stored.folders?.first))
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<OutlineApp.Folder>()) == 1)
    #expect(try other.fetch(FetchDescriptor<OutlineApp.Page>()).map(\.text) == ["c"])
  }
}
