import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// How a program with several writers fails.
struct WritersFailure: Error, CustomStringConvertible {
  enum Kind: Hashable {
    /// The file breaks a rule.
    case file(FileRules.Rule, String)
    /// A save that nobody can have made wrong was refused.
    case harmlessSaveThrew
    /// A save failed otherwise than by a broken rule.
    case otherError
    /// A step that threw, or that does not save, has written.
    case wroteUnasked
    /// The file has neither what the save was to store nor a reason for it.
    case laterSaveLost
    /// A row was deleted, and what its delete rule says of a partner was not done.
    case deleteRuleSkipped(String)
    /// A row is gone that nobody deleted, by no rule.
    case deletedUnasked(League.Kind)
    /// A property has another value that this writer did not set.
    case changedUnasked(String)
    /// A link was dropped and `didOverwrite` does not name it.
    case dropUnnamed
    /// What a context shows after a fetch is not what is stored.
    case memory
    /// A model shows something else, and its observers were not notified.
    case unannounced(String)
    /// Models or contexts are kept after their last user.
    case leak
    /// The run itself did not go on.
    case broken
  }

  let kind: Kind
  let description: String
}

/// Runs a program and holds the file against the rules after each step.
final class WritersRun {
  let folder: TemporaryFolder
  private let container: ModelContainer
  private var writers: [WriterName: LeagueWriter] = [:]
  private let watchesModels: Bool
  private let undoes: Bool
  /// Those of the writers in this process.
  var containers: [ModelContainer] { [container] + writers.values.map(\.context.container) }
  private var watches: [WriterName: ModelWatch] = [:]
  private var process: WorkerProcess?
  private let rules: FileRules
  private let file: FilePicture
  private var version: Int64
  private(set) var picture: League.Picture = [:]
  /// Whether a writer has taken a seat over, which gives the row another number.
  private(set) var hasUpserts = false
  /// How many saves went through, and how many were refused.
  private(set) var counts = (stored: 0, refused: 0)

  /// - Parameters:
  ///   - watchesModels: Whether each property of each model has an observer.
  ///   - undoes: Whether the writers can undo. What a save has to store is not known then; the file has to
  ///     keep its rules, and contexts have to show what is stored.
  init(watchesModels: Bool = false, undoes: Bool = false) throws {
    self.watchesModels = watchesModels
    self.undoes = undoes
    folder = try TemporaryFolder()
    container = try League.container(folder.store)
    rules = try FileRules(folder.store)
    file = try FilePicture(folder.store)
    version = try file.version()
  }

  func run(_ program: WritersProgram) throws {
    for (index, step) in program.steps.enumerated() {
      do {
        try run(step, number: (index + 1) * 100)
      } catch is FilePicture.DuplicateNumber where undoes {
        // Two writers have restored one model. The numbers mean nothing from here on.
        return
      } catch let failure as WritersFailure {
        throw WritersFailure(
          kind: failure.kind,
          description: "after step \(index + 1), \(step.writer) \(step.move): \(failure)")
      } catch {
        throw WritersFailure(
          kind: .broken, description: "in step \(index + 1), \(step.writer) \(step.move): \(error)")
      }
    }
  }

  private func run(_ step: WritersProgram.Step, number: Int) throws {
    if case .upsert = step.move { hasUpserts = true }
    let request = League.Request(step.move, number: number)
    if step.writer != .process { try open(step.writer) }
    let answer =
      step.writer == .process ? try remote().run(request) : try local(step.writer).run(request)
    if answer.hasSaved { counts.stored += 1 }
    if answer.error != nil { counts.refused += 1 }
    let before = picture
    let hasWritten = try file.version() != version
    if hasWritten {
      version = try file.version()
      if let breach = try rules.breaches().first {
        throw WritersFailure(kind: .file(breach.rule, breach.place), description: breach.text)
      }
      picture = try file.read()
      // A new seat with the code of a stored one becomes its row, and gives it another number.
      let isRenumbered = before.contains { number, row in
        row.kind == .seat && picture[number] == nil && !answer.deleted.contains(number)
      }
      if isRenumbered { hasUpserts = true }
    }
    try judge(answer, of: step.move, hasWritten: hasWritten)
    if hasWritten, !undoes { try judgeChanges(answer, of: step.move, before: before) }
    if answer.hasSaved, !undoes { try judgeSave(answer, before: before) }
    if let seen = answer.picture { try compare(seen) }
    if watchesModels { try watch(step.writer) }
  }

  /// The writer knows what others have saved when its container has noticed that.
  private func watch(_ name: WriterName) throws {
    guard let writer = writers[name] else { return }
    let watch = watches[name, default: ModelWatch()]
    watches[name] = watch
    for attempt in 0... {
      writer.context.processPendingChanges()
      guard let missed = watch.missed() else { return watch.update(writer.models) }
      if attempt == 6000 {
        throw WritersFailure(
          kind: .unannounced(missed.property),
          description: "\(missed.before), then \(missed.now), in \(name)")
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  // MARK: Writers

  private func open(_ name: WriterName) throws {
    guard writers[name] == nil else { return }
    let container =
      name == .first || name == .sibling ? container : try League.container(folder.store)
    if watchesModels { container.observesRemoteChanges = true }
    writers[name] = LeagueWriter(container, undoes: undoes)
    version = try file.version()
  }

  private func local(_ name: WriterName) throws -> LeagueWriter {
    guard let writer = writers[name] else { throw Disagreement(description: "\(name) is not open") }
    return writer
  }

  private func remote() throws -> WorkerProcess {
    if let process { return process }
    let started = try WorkerProcess(folder.store)
    // Its first answer comes after it has opened the file.
    _ = try started.run(League.Request(.rollback, number: 0))
    version = try file.version()
    process = started
    return started
  }
}
