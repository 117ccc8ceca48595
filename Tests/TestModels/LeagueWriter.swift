import Foundation
package import SwiftData

/// One of several writers of a file: a context, and the models that user code holds of it. What others
/// save meanwhile makes both out of date.
package final class LeagueWriter {
  package let context: ModelContext
  private var held: [League.Kind: [any LeagueModel]] = [:]
  var wishes = LeagueWishes()
  /// Whether a rule may refuse what is unsaved.
  var isRisky = false
  private var observer: (any NSObjectProtocol)?
  private let discarded = DiscardedNames()

  /// - Parameter undoes: Whether the context has an undo manager, with one step for each move.
  package init(_ container: ModelContainer, undoes: Bool = false) {
    context = ModelContext(container)
    if undoes {
      context.undoManager = UndoManager()
      context.undoManager?.groupsByEvent = false
    }
    observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { [discarded] note in
      let names = note.userInfo?[ModelContext.discardedPropertiesKey]
      discarded.names = names as? [PersistentIdentifier: [String]] ?? [:]
    }
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  /// - Parameter request: Its number is that of the first model that it makes.
  package func run(_ request: League.Request) -> League.Answer {
    var answer = League.Answer()
    answer.isHarmless = !isRisky
    discarded.names = [:]
    do {
      try run(request.move, request.number, &answer)
    } catch {
      answer.error = "\(error)"
      answer.isRefusal = (error as? SwiftDataError) == .modelValidationFailure
      // What others have deleted is dropped, not refused.
      if case .notFound = (error as? SwiftDataError)?.reason { answer.isRefusal = false }
    }
    return answer
  }

  private func run(
    _ move: League.Move, _ number: Int, _ answer: inout League.Answer
  ) throws {
    switch move {
    case .save:
      do {
        try save(&answer)
      } catch {
        rollback()
        throw error
      }
    case .attempt: try save(&answer)
    case .transaction(let moves, let commits):
      do {
        try save(&answer) { save in
          try context.transaction {
            for (index, move) in moves.enumerated() { edit(move, number: number + 20 * index) }
            try save()
            if !commits { throw Cancelled() }
          }
        }
      } catch {
        answer.isHarmless = !isRisky
        rollback()
        if !(error is Cancelled) { throw error }
      }
    case .rollback: rollback()
    case .undo where context.undoManager?.canUndo == true: undo { $0.undo() }
    case .redo where context.undoManager?.canRedo == true: undo { $0.redo() }
    case .deleteAll(let kind, let value):
      answer.isHarmless = false
      let wasPending = context.hasChanges
      // The deletion may become part of the next save.
      isRisky = wasPending
      do { try kind.delete(value: value, in: context) } catch {
        if !wasPending { rollback() }
        throw error
      }
      letGo()
    case .fetch(let kind): try fetch(kind)
    case .look:
      for kind in League.Kind.allCases { try fetch(kind) }
      if !context.hasChanges { answer.picture = try picture() }
    default:
      context.undoManager?.beginUndoGrouping()
      edit(move, number: number)
      context.processPendingChanges()
      context.undoManager?.endUndoGrouping()
    }
  }

  private func undo(_ step: (UndoManager) -> Void) {
    if let manager = context.undoManager { step(manager) }
    context.processPendingChanges()
    isRisky = true
  }

  // MARK: What is held

  func hold(_ model: any LeagueModel) {
    let kind = League.Kind(of: model)
    if held[kind]?.contains(where: { $0 === model }) == true { return }
    held[kind, default: []].append(model)
  }

  /// One of the models that are held and, as far as the context knows, not deleted.
  func choose(_ kind: League.Kind, _ which: Int) -> (any LeagueModel)? {
    let models = (held[kind] ?? []).filter { !$0.isDeleted && $0.modelContext === context }
    return models.isEmpty ? nil : models[which % models.count]
  }

  /// What is held of all classes, also models that have left the context.
  package var models: [any LeagueModel] { held.values.flatMap(\.self) }

  func all(_ kind: League.Kind) -> [any LeagueModel] {
    (held[kind] ?? []).filter { !$0.isDeleted && $0.modelContext === context }
  }

  private func fetch(_ kind: League.Kind) throws {
    for model in try kind.fetch(in: context) { hold(model) }
    letGo()
  }

  /// Models that are known to be gone are not used any more.
  private func letGo() {
    held = held.mapValues { $0.filter { $0.modelContext != nil } }
  }

  // MARK: Saving

  private func rollback() {
    context.rollback()
    wishes = LeagueWishes()
    isRisky = false
    letGo()
  }

  private struct Cancelled: Error {}

  /// - Parameter body: Gets the save as its argument, and may edit before it.
  private func save(
    _ answer: inout League.Answer, _ body: (() throws -> Void) throws -> Void = { try $0() }
  ) throws {
    var wasPending = false
    var new: [any LeagueModel] = []
    var models: [any LeagueModel] = []
    try body {
      wasPending = context.hasChanges
      wishes.look(at: context)
      answer.deleted = context.deletedModelsArray.compactMap { ($0 as? any LeagueModel)?.number }
      answer.touches = wishes.touches
      new = context.insertedModelsArray.compactMap { $0 as? any LeagueModel }
      models = self.models
      try context.save()
    }
    answer.hasSaved = wasPending
    answer.inserted = new.filter { !$0.isDeleted && $0.modelContext != nil }.map(\.number)
    answer.wishes = wishes.afterSave
    let numbers = Dictionary(
      models.map { ($0.persistentModelID, $0.number) }, uniquingKeysWith: { first, _ in first })
    for (identifier, names) in discarded.names {
      if let number = numbers[identifier] { answer.discarded[number] = names.sorted() }
    }
    wishes = LeagueWishes()
    isRisky = false
    letGo()
  }

  // MARK: Looking

  /// What the context shows of everything.
  private func picture() throws -> League.Picture {
    var picture: League.Picture = [:]
    for kind in League.Kind.allCases {
      for model in try kind.fetch(in: context) {
        var sight = League.Sight(kind, value: model.value)
        for bond in League.Bond.allCases {
          for side in [League.Side.left, .right] where bond.kind(side) == kind {
            guard let property = bond.property(side), let end = bond.end(side) else { continue }
            let partners = end.read(model).map(\.number).sorted()
            if !partners.isEmpty { sight.partners[property] = partners }
          }
        }
        picture[model.number] = sight
      }
    }
    return picture
  }
}

/// What the last save of a context said it left out. The notification comes on the thread of the save.
private final class DiscardedNames: @unchecked Sendable {
  var names: [PersistentIdentifier: [String]] = [:]
}
