import ArgumentParser
import Foundation
import SwiftDataTools

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes Swift source.", subcommands: [Models.self])

  struct Models: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes @Model classes that open the file.",
      discussion: """
        Works for files that contain their model: all files of SwiftData, and of Core Data since 2015. Comments \
        show what a file does not contain: the cases of enums with raw values, and the classes of transformed \
        values.
        """)

    @OptionGroup var store: StoreArgument

    @Option(help: "The name of an enum around the classes, as for a versioned schema.")
    var namespace: String?

    @Option(name: .shortAndLong, help: "The file to write; standard output without it.")
    var output: String?

    func validate() throws {
      guard let namespace else { return }
      let isName =
        namespace.first?.isNumber == false
        && namespace.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      if !isName { throw ValidationError("'\(namespace)' is not a valid name for an enum.") }
    }

    func run() throws {
      let source = try Failure.describing {
        try ModelSource(of: store.url, namespace: namespace)
      }
      if let output {
        // Also through a symbolic link the store must not be replaced.
        if URL(filePath: output).resolvingSymlinksInPath().path
          == store.url.resolvingSymlinksInPath().path
        {
          throw Failure(
            description: "\(output) is the store itself. Choose another file for the source.")
        }
        do {
          try source.text.write(to: URL(filePath: output), atomically: true, encoding: .utf8)
        } catch {
          throw Failure(description: ErrorSentence.text(error, writing: output))
        }
      } else {
        print(source.text, terminator: "")
      }
    }
  }
}
