import Foundation
import SwiftData

/// The models of a scheduler app, reduced to what its file holds.
enum Scheduler {
  /// A localised text: its key, and the arguments in the form that the app's framework gives them.
  struct Text: Codable, Hashable {
    struct Argument: Codable, Hashable {
      struct Value: Codable, Hashable { var _0: String }

      var string: Value?
    }

    var arguments: [Argument]
    var key: String
  }

  enum CompletionPolicy: Codable, Hashable {
    case sameDay, afterStart, sameDayAfterStart, duringEvent, anytime
  }

  enum NotificationThread: Codable, Hashable {
    case global, task
    case custom(String)
    case none
  }

  struct NotificationTime: Codable, Hashable {
    var hour: Int
    var minute: Int
    var second: Int
  }

  enum ScheduleDuration: Codable, Hashable {
    case allDay, tillEndOfDay
    case duration(Duration)
  }

  enum MatchingHint: Codable, Hashable {
    case components(
      month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?, weekday: Int?)
    case allDayNotification(weekday: Int?)
    case none
  }

  struct Schedule: Codable, Hashable {
    var startDate: Date
    var scheduleDuration: ScheduleDuration
    var recurrenceRule: Data?
    var notificationMatchingHint: MatchingHint
  }

  struct Storage: Codable, Hashable {
    var userInfo: [String: Data] = [:]
  }

  @Model final class Task {
    #Index<Task>([\.id], [\.effectiveFrom], [\.effectiveFrom, \.nextVersion])
    #Unique<Task>([\.id, \.nextVersion])

    var id: String
    var title: Text
    var instructions: Text
    var categoryValue: String?
    var effectiveFrom: Date
    var schedule: Schedule
    var completionPolicy: CompletionPolicy
    var scheduleNotifications: Bool
    var notificationThread: NotificationThread
    var notificationTime: NotificationTime?
    var tags: [String]
    @Relationship(deleteRule: .cascade, inverse: \Outcome.task) var outcomes: [Outcome]
    @Relationship(.unique, deleteRule: .cascade, inverse: \Task.previousVersion)
    var nextVersion: Task?
    var previousVersion: Task?
    var userInfo: Storage

    init(id: String, like other: Task) {
      self.id = id
      (title, instructions, categoryValue) = (other.title, other.instructions, nil)
      (effectiveFrom, schedule) = (other.effectiveFrom, other.schedule)
      (completionPolicy, scheduleNotifications) = (other.completionPolicy, false)
      (notificationThread, notificationTime) = (.custom("mine"), nil)
      (tags, outcomes, userInfo) = ([], [], Storage())
    }
  }

  @Model final class Outcome {
    #Index<Outcome>([\.id], [\.occurrenceStartDate])

    @Attribute(.unique) var id: UUID
    var completionDate: Date
    var occurrenceStartDate: Date
    var task: Task
    var userInfo: Storage = Storage()

    init(of task: Task, on date: Date) {
      id = UUID()
      (completionDate, occurrenceStartDate, self.task) = (date, date, task)
    }
  }
}
