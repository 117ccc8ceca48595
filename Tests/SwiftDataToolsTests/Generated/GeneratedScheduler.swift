import Foundation
import SwiftData

enum GeneratedScheduler {
  @Model
  final class Outcome {
    #Unique<Outcome>([\.id])
    #Index<Outcome>([\.id], [\.occurrenceStartDate])

    var completionDate: Date
    var id: UUID
    var occurrenceStartDate: Date
    @Relationship(inverse: \Task.outcomes)
    var task: Task
    var userInfo: UserInfo

    init(
      completionDate: Date, id: UUID, occurrenceStartDate: Date, task: Task, userInfo: UserInfo
    ) {
      self.completionDate = completionDate
      self.id = id
      self.occurrenceStartDate = occurrenceStartDate
      self.task = task
      self.userInfo = userInfo
    }

    struct UserInfo: Codable, Hashable {
      var userInfo: Data
    }
  }

  @Model
  final class Task {
    #Unique<Task>([\.nextVersion], [\.id, \.nextVersion])
    #Index<Task>([\.id], [\.effectiveFrom], [\.effectiveFrom, \.nextVersion])

    var categoryValue: String?
    var completionPolicy: CompletionPolicy
    var effectiveFrom: Date
    var id: String
    var instructions: Instructions
    @Relationship(deleteRule: .cascade, inverse: \Task.previousVersion)
    var nextVersion: Task?
    var notificationThread: NotificationThread
    var notificationTime: NotificationTime?
    @Relationship(deleteRule: .cascade)
    var outcomes: [Outcome] = []
    var previousVersion: Task?
    var schedule: Schedule
    var scheduleNotifications: Bool
    var tags: [String]
    var title: Title
    var userInfo: UserInfo

    init(
      completionPolicy: CompletionPolicy, effectiveFrom: Date, id: String,
      instructions: Instructions, notificationThread: NotificationThread, schedule: Schedule,
      scheduleNotifications: Bool, tags: [String], title: Title, userInfo: UserInfo
    ) {
      self.completionPolicy = completionPolicy
      self.effectiveFrom = effectiveFrom
      self.id = id
      self.instructions = instructions
      self.notificationThread = notificationThread
      self.schedule = schedule
      self.scheduleNotifications = scheduleNotifications
      self.tags = tags
      self.title = title
      self.userInfo = userInfo
    }

    enum CompletionPolicy: Codable, Hashable {
      case sameDay
      case afterStart
      case sameDayAfterStart
      case duringEvent
      case anytime
    }

    struct Instructions: Codable, Hashable {
      var arguments: Data
      var key: String
    }

    enum NotificationThread: Codable, Hashable {
      case custom(String)
      case global
      case task
      case none
    }

    struct NotificationTime: Codable, Hashable {
      var hour: Int?
      var minute: Int?
      var second: Int?
    }

    struct Schedule: Codable, Hashable {
      var startDate: Date
      var scheduleDuration: ScheduleDuration
      var recurrenceRule: Data?
      var notificationMatchingHint: NotificationMatchingHint

      enum ScheduleDuration: Codable, Hashable {
        case duration(Duration)
        case allDay
        case tillEndOfDay
      }

      enum NotificationMatchingHint: Codable, Hashable {
        case components(
          month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?, weekday: Int?)
        case allDayNotification(weekday: Int)
        case none
      }
    }

    struct Title: Codable, Hashable {
      var arguments: Data
      var key: String
    }

    struct UserInfo: Codable, Hashable {
      var userInfo: Data
    }
  }
}
