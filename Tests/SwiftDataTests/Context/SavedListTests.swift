import Foundation
import SwiftData
import Testing

/// Lists that are in memory stay there after a save, so that they are not read again.
@Suite(.databases) struct SavedListTests {
  private let recorder = StatementRecorder()

  private func family(_ count: Int) throws -> (ModelContext, Graph.Parent) {
    let container = try recorder.container(Graph.types)
    let filling = ModelContext(container)
    let parent = Graph.Parent("p")
    filling.insert(parent)
    parent.children = (0..<count).map { Graph.Child("\($0)") }
    try filling.save()
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return (context, try #require(try context.fetch(FetchDescriptor<Graph.Parent>()).first))
  }

  /// Reads the names of all children, and counts the rows that this needs.
  private func read(_ parent: Graph.Parent) -> (names: [String], rows: Int) {
    var names: [String] = []
    let ran = recorder.during { names = parent.children.map(\.name) }
    return (names, ran.reduce(0) { $0 + $1.rowCount })
  }

  @Test func anotherPropertyOfTheOwnerWasEdited() throws {
    let (context, parent) = try family(20)
    #expect(read(parent).rows == 20)
    for number in 0..<3 {
      parent.name = "\(number)"
      try context.save()
      let (names, rows) = read(parent)
      #expect(rows == 0 && names == (0..<20).map(String.init))
    }
  }

  @Test func membersWereAddedMovedAndRemoved() throws {
    let (context, parent) = try family(4)
    let other = Graph.Parent("other")
    context.insert(other)
    try context.save()
    #expect(read(parent).names == ["0", "1", "2", "3"] && read(other).names.isEmpty)
    parent.children.append(Graph.Child("new"))
    try context.save()
    #expect(read(parent) == (["0", "1", "2", "3", "new"], 0))
    context.insert(Graph.Child("by its parent", parent: parent))
    try context.save()
    #expect(read(parent) == (["0", "1", "2", "3", "new", "by its parent"], 0))
    parent.children[1].parent = other
    context.delete(try #require(parent.children.first { $0.name == "2" }))
    try context.save()
    #expect(read(parent) == (["0", "3", "new", "by its parent"], 0))
    #expect(read(other) == (["1"], 0))
    parent.children.swapAt(0, 1)
    try context.save()
    #expect(read(parent) == (["3", "0", "new", "by its parent"], 0))
    let reopened = ModelContext(context.container)
    let stored = try #require(
      try reopened.fetch(
        FetchDescriptor<Graph.Parent>(predicate: #Predicate { $0.name == "p" })
      ).first)
    #expect(Set(stored.children.map(\.name)) == ["0", "3", "new", "by its parent"])
  }

  @Test func aChangeOfAnotherContextIsSeen() throws {
    let (context, parent) = try family(3)
    #expect(read(parent).names == ["0", "1", "2"])
    parent.name = "edited"
    try context.save()
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Graph.Parent>()).first)
    theirs.children.append(Graph.Child("theirs"))
    other.delete(try #require(theirs.children.first { $0.name == "1" }))
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Graph.Parent>())
    #expect(Set(read(parent).names) == ["0", "2", "theirs"])
    parent.children.append(Graph.Child("mine"))
    try context.save()
    #expect(Set(read(parent).names) == ["0", "2", "theirs", "mine"])
  }

  @Test func aSavedListIsTheStateOfTheNextRollback() throws {
    let (context, parent) = try family(3)
    #expect(parent.children.count == 3)
    let added = Graph.Child("added")
    parent.children.append(added)
    try context.save()
    parent.children.removeAll { $0.name == "0" || $0 === added }
    #expect(read(parent).names == ["1", "2"])
    context.rollback()
    #expect(read(parent).names == ["0", "1", "2", "added"])
    context.delete(added)
    context.rollback()
    #expect(read(parent).names == ["0", "1", "2", "added"])
  }

  @Test func aListOfAFailedTransactionIsReadAgain() throws {
    let (context, parent) = try family(2)
    #expect(parent.children.count == 2)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try context.transaction {
        parent.children.append(Graph.Child("added"))
        try context.save()
        #expect(read(parent).names == ["0", "1", "added"])
        parent.name = "edited"
        try context.save()
        throw Stop()
      }
    }
    #expect(read(parent).names == ["0", "1"] && parent.name == "p")
  }

  @Test func ownersAndMembersAreFreed() throws {
    let (context, parent) = try family(2)
    weak var child: Graph.Child?
    weak var owner: Graph.Parent?
    try {
      let others = try context.fetch(FetchDescriptor<Graph.Parent>())
      let other = others[0]
      #expect(other === parent && other.children.count == 2)
      let new = Graph.Parent("new")
      context.insert(new)
      try context.save()
      #expect(new.children.isEmpty)
      new.children.append(Graph.Child("c"))
      try context.save()
      child = new.children.first
      owner = new
      #expect(child?.parent === new)
    }()
    #expect(owner == nil && child == nil)
    let students = ModelContext(try Graph.container())
    weak var student: Graph.Student?
    try {
      let (ada, maths) = (Graph.Student("ada"), Graph.Course("maths"))
      students.insert(ada)
      students.insert(maths)
      try students.save()
      #expect(ada.courses.isEmpty && maths.students.isEmpty)
      ada.courses.append(maths)
      try students.save()
      student = ada
    }()
    #expect(student == nil)
  }
}
