import Foundation
import SwiftData
import Testing

/// All cardinalities side by side, most of them inferred.
enum CampusApp {
  @Model final class Professor {
    var name: String
    var office: Office?
    @Relationship(inverse: \Lecture.speaker) var lectures: [Lecture] = []

    init(name: String) { self.name = name }
  }

  @Model final class Office {
    var room: String
    @Relationship(deleteRule: .nullify, inverse: \Professor.office) var professor: Professor?

    init(room: String) { self.room = room }
  }

  @Model final class Lecture {
    var title: String
    var speaker: Professor?
    var listeners: [Listener] = []
    @Relationship(deleteRule: .noAction) var hall: Hall?

    init(title: String, hall: Hall? = nil) {
      self.title = title
      self.hall = hall
    }
  }

  @Model final class Listener {
    var name: String
    @Relationship(inverse: \Lecture.listeners) var lectures: [Lecture]

    init(name: String, lectures: [Lecture] = []) {
      self.name = name
      self.lectures = lectures
    }
  }

  @Model final class Hall {
    var seats: Int

    init(seats: Int) { self.seats = seats }
  }
}

@Suite(.databases) struct CampusAppTests {
  @Test func aSemesterIsPlannedStoredAndChanged() throws {
    let folder = try TemporaryFolder()
    func open() throws -> ModelContext {
      let schema = Schema([
        CampusApp.Professor.self, CampusApp.Office.self, CampusApp.Lecture.self,
        CampusApp.Listener.self, CampusApp.Hall.self,
      ])
      return ModelContext(
        try ModelContainer(
          for: schema, configurations: ModelConfiguration(schema: schema, url: folder.store)))
    }
    do {
      let context = try open()
      let ada = CampusApp.Professor(name: "Ada")
      ada.office = CampusApp.Office(room: "12")
      let hall = CampusApp.Hall(seats: 80)
      let lectures = ["Logic", "Sets"].map { CampusApp.Lecture(title: $0, hall: hall) }
      ada.lectures = lectures
      context.insert(ada)
      context.insert(CampusApp.Listener(name: "Bo", lectures: lectures))
      context.insert(CampusApp.Listener(name: "Cy", lectures: [lectures[0]]))
      try context.save()
    }
    let context = try open()
    let ada = try #require(try context.fetch(FetchDescriptor<CampusApp.Professor>()).first)
    #expect(ada.office?.professor === ada)
    let logic = try #require(ada.lectures.first { $0.title == "Logic" })
    #expect(Set(logic.listeners.map(\.name)) == ["Bo", "Cy"])
    #expect(logic.hall?.seats == 80)
    let full = FetchDescriptor<CampusApp.Lecture>(
      predicate: #Predicate { $0.listeners.count > 1 && $0.speaker?.office?.room == "12" })
    #expect(try context.fetch(full).map(\.title) == ["Logic"])
    let bo = FetchDescriptor<CampusApp.Listener>(predicate: #Predicate { $0.name == "Bo" })
    context.delete(try #require(try context.fetch(bo).first))
    context.delete(try #require(ada.office))
    try context.save()
    let again = try open()
    #expect(try again.fetch(FetchDescriptor<CampusApp.Professor>()).first?.office == nil)
    #expect(try again.fetch(full).isEmpty)
    let lectures = try again.fetch(FetchDescriptor<CampusApp.Lecture>())
    #expect(lectures.map(\.listeners.count).sorted() == [0, 1])
  }
}
