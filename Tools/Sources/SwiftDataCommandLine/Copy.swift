import ArgumentParser
import Foundation
import SwiftDataTools

#if PostgreSQL
  import SwiftDataPostgres
#endif

struct Copy: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies a store between a file and a PostgreSQL database.",
    discussion: """
      Copies the rows with their identifiers, the links between them, large values and the history, without the \
      app's models. The source is only read. Stop the programs that write to it: later commits are not copied. \
      The target must not have a store: a path without a file, or an empty schema.

      An address is a URL, or a list of keywords such as "user=owner host=db.example dbname=library". A path that begins \
      like that needs ./ before it.

      An interrupted copy goes on when the same command is run again. Until it is complete, the copy can't be \
      opened as a store. At the end the rows of both sides are read and compared.

      Other users of the machine may see arguments, so the password of a database belongs into the \
      environment variable PGPASSWORD or into a password file.

      Exit code 0: the copy is complete; 2: a dry run found problems; 1: the copy failed.
      """)

  @Argument(
    help: "A store file, or the address of a database: postgresql://user@host/database.",
    completion: .file())
  var source: String

  @Argument(help: "The path of the new file, or the address of the database.", completion: .file())
  var target: String

  @Flag(help: "Read and check everything, and write nothing.")
  var dryRun = false

  @Flag(
    help: "Give the copy an identifier of its own. Stored identifiers of models become invalid.")
  var newIdentifier = false

  @Flag(help: "Leave out columns and tables that the model does not have.")
  var leaveOutUnknown = false

  @Flag(help: "Remove what an interrupted copy has written, and start anew.")
  var restart = false

  @Flag(name: .shortAndLong, help: "Print no progress.")
  var quiet = false

  #if PostgreSQL
    func run() throws {
      try Failure.describing {
        var copy = StoreCopy(from: try location(source), to: try location(target))
        copy.keepsIdentifier = !newIdentifier
        copy.leavesOutUnknown = leaveOutUnknown
        copy.startsAnew = restart
        let show = quiet ? { _ in } : progress
        if dryRun {
          let preview = try copy.preview(show)
          print(preview)
          if !preview.problems.isEmpty { throw ExitCode(2) }
        } else {
          print(try copy.run(show))
        }
      }
    }

    /// A text that begins with a keyword of libpq is the address of a database, whichever keyword it is.
    private func location(_ text: String) throws -> StoreCopy.Location {
      let isAddress =
        ["postgresql://", "postgres://"].contains(where: text.hasPrefix)
        || text.prefixMatch(of: /\s*[a-z_]+\s*=/) != nil
      return isAddress ? try .database(text) : .file(URL(filePath: text))
    }

    private var progress: (StoreCopy.Progress) -> Void {
      { step in
        let line = "\(step.phase.rawValue) \(step.table): \(step.rows) of \(step.total)\n"
        // Standard error may be closed; the copy goes on.
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
      }
    }
  #else
    func validate() throws {
      throw ValidationError(
        """
        This `swiftdata` was built without PostgreSQL. Build it with the trait, which needs libpq:
        swift run --package-path Tools --traits PostgreSQL swiftdata copy …
        """)
    }
  #endif
}
