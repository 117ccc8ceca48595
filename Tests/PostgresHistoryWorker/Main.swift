import Foundation
import SwiftData
import SwiftDataPostgres

/// The same model as in the tests, which use the same tables.
@Model
final class Memo {
  var text: String
  var number: Int

  init(_ text: String, number: Int = 0) {
    self.text = text
    self.number = number
  }
}

/// A second process for tests of history and observers on PostgreSQL.
///
/// `pulse ADDRESS COUNT MILLISECONDS` saves one new memo after each pause, and prints its number and the
/// time of the commit. `watch ADDRESS SECONDS` observes for some time while nothing is written, and
/// prints the milliseconds of processor time.
@main
enum Worker {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3 else {
      fatalError("usage: pulse|watch ADDRESS NUMBER [MILLISECONDS]")
    }
    var configuration = try PostgresConfiguration(url: arguments[2])
    configuration.notifiesCommits =
      ProcessInfo.processInfo.environment["OPENSWIFTDATA_NOTIFIES"] == "1"
    let container = try ModelContainer(for: Memo.self, configurations: configuration)
    let number = Int(arguments[3]) ?? 1
    if arguments[1] == "watch" { return watch(container, seconds: number) }
    let pause = Double(arguments.count > 4 ? arguments[4] : "0") ?? 0
    let context = ModelContext(container)
    context.author = "worker"
    for index in 1...number {
      Thread.sleep(forTimeInterval: pause / 1000)
      context.insert(Memo("pulse", number: index))
      try context.save()
      // Observers on this computer have the same clock.
      let line = "\(index) \(Date().timeIntervalSinceReferenceDate)\n"
      FileHandle.standardOutput.write(Data(line.utf8))
    }
    // For a notification, which is sent after the save.
    Thread.sleep(forTimeInterval: 0.1)
  }

  private static func watch(_ container: ModelContainer, seconds: Int) {
    container.observesRemoteChanges = true
    // After these the interval of the polls is the longest.
    Thread.sleep(forTimeInterval: 21)
    let before = clock()
    Thread.sleep(forTimeInterval: Double(seconds))
    print(Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1000)
  }
}
