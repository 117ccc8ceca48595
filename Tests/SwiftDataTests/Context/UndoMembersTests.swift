import Foundation
import SwiftData
import Testing

/// An undo takes members of lists back that no to-one on the other side leads to.
@Suite(.databases) struct UndoMembersTests {
  private let undo = UndoManager()

  @Test func pairsGoAndComeBack() throws {
    let context = try Graph.context()
    let student = Graph.Student("s")
    let courses = ["a", "b"].map(Graph.Course.init)
    student.courses = [courses[0]]
    for course in courses { context.insert(course) }
    context.insert(student)
    try context.save()
    context.undoManager = undo
    student.courses.append(courses[1])
    context.processPendingChanges()
    undo.undo()
    #expect(student.courses == [courses[0]] && courses[1].students.isEmpty)
    #expect(!context.hasChanges)
    undo.redo()
    #expect(student.courses == courses && courses[1].students == [student])
    try context.save()
    undo.undo()
    try context.save()
    #expect(try context.stored(Graph.Student.self).first?.courses.count == 1)
  }

  @Test func membersWithoutInverseGoAndComeBack() throws {
    let context = try Graph.context()
    let route = Graph.Route("r")
    let stops = ["a", "b"].map(Graph.Stop.init)
    route.stops = [stops[0]]
    for stop in stops { context.insert(stop) }
    context.insert(route)
    try context.save()
    context.undoManager = undo
    route.stops = [stops[1]]
    context.processPendingChanges()
    undo.undo()
    #expect(route.stops == [stops[0]] && !context.hasChanges)
    undo.redo()
    #expect(route.stops == [stops[1]])
  }

  @Test func aDeletionThatTheSameEventTakesBackIsNoStep() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    parent.children = [Graph.Child("a")]
    context.insert(parent)
    try context.save()
    context.undoManager = undo
    context.delete(parent)
    context.insert(parent)
    context.processPendingChanges()
    #expect(!undo.canUndo && !context.hasChanges)
  }
}
