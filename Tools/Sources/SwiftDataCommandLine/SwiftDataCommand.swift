import ArgumentParser
import Foundation
import SwiftDataTools

@main
struct SwiftDataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swiftdata",
    abstract: "Examines and copies store files of SwiftData and Core Data.",
    discussion: """
      No command writes to the file that it reads, or creates files next to it.
      """,
    subcommands: [Inspect.self, Generate.self, Check.self, Copy.self])
}

/// The file that a command looks at.
struct StoreArgument: ParsableArguments {
  @Argument(
    help: "The store file, as default.store or Model.sqlite.", completion: .file())
  var file: String

  var url: URL { URL(filePath: file) }
}

/// What a command says when it fails: the sentence of the error.
struct Failure: Error, CustomStringConvertible {
  let description: String

  static func describing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let code as ExitCode {
      throw code
    } catch {
      throw Failure(description: ErrorSentence.text(error))
    }
  }
}
