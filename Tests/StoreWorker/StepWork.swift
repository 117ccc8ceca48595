import Foundation
import OpenSwiftDataTestModels

/// Makes the steps of a program that it is told, one per line, and answers each with a line.
enum StepWork {
  static func run(_ store: URL) throws {
    let writer = LeagueWriter(try League.container(store))
    while let line = readLine() {
      let request = try JSONDecoder().decode(League.Request.self, from: Data(line.utf8))
      let answer = try JSONEncoder().encode(writer.run(request))
      FileHandle.standardOutput.write(answer + Data("\n".utf8))
    }
  }
}
