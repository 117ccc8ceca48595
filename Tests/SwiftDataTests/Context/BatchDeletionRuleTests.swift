import Foundation
import SwiftData
import Testing

/// What a batch deletion leaves in the tables, and what keeps it from deleting.
@Suite(.databases) struct BatchDeletionRuleTests {
  @Model final class Crew {
    var name: String
    @Relationship(minimumModelCount: 1, inverse: \Sailor.crew) var sailors: [Sailor] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Sailor {
    var name: String
    var crew: Crew?

    init(_ name: String) { self.name = name }
  }

  @Model final class Box {
    var name: String
    var outer: Box?
    @Relationship(deleteRule: .deny, inverse: \Box.outer) var inner: [Box] = []

    init(_ name: String, in outer: Box? = nil) {
      self.name = name
      self.outer = outer
    }
  }

  @Model final class Album {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Page.album) var pages: [Page] = []
    @Relationship(deleteRule: .cascade, inverse: \Mark.album) var marks: [Mark] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Page {
    var album: Album?

    init() {}
  }

  /// Can't do without its page, which does not know it.
  @Model final class Mark {
    var album: Album?
    @Relationship var page: Page

    init(_ page: Page) { self.page = page }
  }

  @Test func whatIsDeletedTooDeniesNothing() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Box.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let outer = Box("outer")
    context.insert(outer)
    context.insert(Box("inner", in: outer))
    try context.save()
    let name = "outer"
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.delete(model: Box.self, where: #Predicate { $0.name == name })
    }
    #expect(try context.count(Box.self) == 2)
    try context.delete(model: Box.self)
    #expect(try context.count(Box.self) == 0)
  }

  @Test func whatIsDeletedTooMissesNothing() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Album.self, Page.self, Mark.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (album, page) = (Album("a"), Page())
    album.pages = [page]
    context.insert(album)
    album.marks = [Mark(page)]
    try context.save()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.delete(model: Page.self)
    }
    #expect(try context.count(Page.self) == 1)
    try context.delete(model: Album.self)
    #expect(try context.count(Album.self) == 0 && context.count(Page.self) == 0)
    #expect(try context.count(Mark.self) == 0)
  }

  @Test(.sqliteOnly("reads the file")) func membersOfADeletedOwnerWithoutInverseAreFree() throws {
    let folder = try TemporaryFolder()
    let context = try Graph.context(at: folder.store)
    let routes = ["a", "b"].map(Graph.Route.init)
    for route in routes {
      route.stops = [Graph.Stop(route.name)]
      context.insert(route)
    }
    try context.save()
    let column = try #require(
      try SQLiteFile.text(
        "SELECT name FROM pragma_table_info('ZSTOP') WHERE name LIKE '%STOPS%'", in: folder.store))
    let linked = "SELECT count(*) FROM ZSTOP WHERE \(column) IS NOT NULL"
    #expect(try SQLiteFile.integer(linked, in: folder.store) == 2)
    let name = "a"
    try context.delete(model: Graph.Route.self, where: #Predicate { $0.name == name })
    #expect(try SQLiteFile.integer(linked, in: folder.store) == 1)
    #expect(try context.stored(Graph.Route.self).first?.stops.map(\.name) == ["b"])
    #expect(try context.count(Graph.Stop.self) == 2)
  }

  @Test func aListThatWouldHaveTooFewMembersKeepsThem() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Crew.self, Sailor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    )
    let crew = Crew("c")
    crew.sailors = ["a", "b"].map(Sailor.init)
    context.insert(crew)
    try context.save()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.delete(model: Sailor.self)
    }
    #expect(try context.count(Sailor.self) == 2)
    let name = "a"
    try context.delete(model: Sailor.self, where: #Predicate { $0.name == name })
    #expect(try context.stored(Crew.self).first?.sailors.map(\.name) == ["b"])
  }
}
