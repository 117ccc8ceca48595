import Foundation
import SwiftData
import Testing

/// Relationships that several others may be the inverse of.
@Suite struct AmbiguousInverseTests {
  enum Doubtful {
    @Model final class Team {
      var name: String
      var matches: [Match] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Match {
      var home: Team?
      var away: Team?

      init() {}
    }
  }

  enum Settled {
    @Model final class Squad {
      var name: String
      @Relationship(inverse: \Game.home) var homeGames: [Game] = []
      @Relationship(inverse: \Game.away) var awayGames: [Game] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Game {
      var home: Squad?
      var away: Squad?
      var referee: Person?
      var assistant: Person?

      init() {}
    }

    @Model final class Person {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  /// Two arrays without `inverse:`.
  enum Unpaired {
    @Model final class Student {
      var courses: [Course] = []

      init() {}
    }

    @Model final class Course {
      var students: [Student] = []

      init() {}
    }
  }

  /// As the warning about `Unpaired` advises.
  enum Paired {
    @Model final class Student {
      @Relationship(inverse: \Course.students) var courses: [Course] = []

      init() {}
    }

    @Model final class Course {
      var students: [Student] = []

      init() {}
    }
  }

  /// Arrays of which the first is not clearly the other side, and one that leads to its own class.
  enum Several {
    @Model final class Team {
      var players: [Player] = []
      var substitutes: [Player] = []

      init() {}
    }

    @Model final class Player {
      var teams: [Team] = []
      var friends: [Player] = []

      init() {}
    }
  }

  private func lines(opening types: any PersistentModel.Type...) throws -> [String] {
    try WarningLog.lines {
      _ = try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  @Test func theRelationshipAndItsCandidatesAreNamedOnce() throws {
    let found = try lines(opening: Doubtful.Team.self, Doubtful.Match.self)
    #expect(
      found == [
        "Team.matches has no inverse, because there are several candidates: Match.home and Match.away. "
          + "Setting one side does not set the other. Add @Relationship(inverse:) with the key path of "
          + "one of them."
      ])
    #expect(try lines(opening: Doubtful.Team.self, Doubtful.Match.self) == [])
  }

  @Test func twoArraysAreNamedWithTheirDeclaration() throws {
    let found = try lines(opening: Unpaired.Student.self)
    #expect(
      found == [
        "Course.students and Student.courses have no inverse, so they are two relationships: setting one "
          + "does not set the other, and each Student belongs to one Course at most. For a many-to-many "
          + "relationship add @Relationship(inverse: \\Course.students) to Student.courses."
      ])
    #expect(try lines(opening: Unpaired.Student.self) == [])
    #expect(try lines(opening: Paired.Student.self) == [])
    #expect(try lines(opening: Several.Team.self) == [])
    let context = ModelContext(
      try ModelContainer(
        for: Paired.Student.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (student, course) = (Paired.Student(), Paired.Course())
    context.insert(student)
    student.courses = [course]
    #expect(course.students == [student])
  }

  @Test func withoutDoubtNothingIsSaid() throws {
    #expect(
      try lines(opening: Settled.Squad.self, Settled.Game.self, Settled.Person.self) == [])
  }
}
