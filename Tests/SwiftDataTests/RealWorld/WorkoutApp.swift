import Foundation
import SwiftData
import Testing

/// Three levels of ordered children; one model is named `Set`.
enum WorkoutApp {
  @Model
  public final class Workout {
    public var date: Date = Date.now
    public var duration: TimeInterval = 0
    @Relationship(deleteRule: .cascade, inverse: \Exercise.workout)
    public var exercises: [Exercise] = []

    public var orderedExercises: [Exercise] { exercises.sorted { $0.order < $1.order } }
    public var volume: Double {
      exercises.reduce(0) { $0 + $1.sets.reduce(0) { $0 + $1.weight * Double($1.reps) } }
    }

    public init(date: Date = .now) { self.date = date }
  }

  @Model
  public final class Exercise {
    public var name: String
    public var order: Int
    public var workout: Workout?
    @Relationship(deleteRule: .cascade, inverse: \Set.exercise) public var sets: [Set] = []

    public init(name: String, order: Int) {
      self.name = name
      self.order = order
    }
  }

  @Model
  public final class Set {
    public var index: Int
    public var reps: Int
    public var weight: Double
    public var count: Int = 0
    public var type: Kind = Kind.normal
    public var exercise: Exercise?

    public enum Kind: String, Codable { case warmup, normal, failure }

    public init(index: Int, reps: Int, weight: Double, type: Kind = .normal) {
      self.index = index
      self.reps = reps
      self.weight = weight
      self.type = type
    }
  }
}

@Suite(.databases) struct WorkoutAppTests {
  @Test func orderedChildrenSurviveEditsAndDeletion() throws {
    let container = try ModelContainer(
      for: WorkoutApp.Workout.self, WorkoutApp.Exercise.self, WorkoutApp.Set.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let workout = WorkoutApp.Workout(date: Date(timeIntervalSince1970: 0))
    context.insert(workout)
    for (order, name) in ["Squat", "Press", "Row"].enumerated() {
      let exercise = WorkoutApp.Exercise(name: name, order: order)
      workout.exercises.append(exercise)
      for index in 0..<3 {
        exercise.sets.append(
          WorkoutApp.Set(index: index, reps: 5, weight: 10, type: index == 0 ? .warmup : .normal))
      }
    }
    try context.save()
    #expect(workout.volume == 450)
    let other = ModelContext(container)
    let stored = try #require(try other.fetch(FetchDescriptor<WorkoutApp.Workout>()).first)
    #expect(stored.orderedExercises.map(\.name) == ["Squat", "Press", "Row"])
    let (first, last) = (stored.orderedExercises[0], stored.orderedExercises[2])
    (first.order, last.order) = (last.order, first.order)
    other.delete(stored.orderedExercises[1])
    try other.save()
    #expect(stored.orderedExercises.map(\.name) == ["Row", "Squat"])
    #expect(try other.fetchCount(FetchDescriptor<WorkoutApp.Set>()) == 6)
    let warmup = WorkoutApp.Set.Kind.warmup
    let warmups = FetchDescriptor<WorkoutApp.Set>(
      predicate: #Predicate { $0.type == warmup && $0.exercise?.workout?.duration == 0 },
      sortBy: [SortDescriptor(\.exercise?.name), SortDescriptor(\.index, order: .reverse)])
    #expect(try other.fetch(warmups).compactMap(\.exercise?.name) == ["Row", "Squat"])
  }
}
