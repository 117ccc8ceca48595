import Foundation
import SwiftData

/// How a context or its store differs from the reference.
struct ShapeDifference: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Runs a program on contexts of one store, and beside it on a reference.
///
/// An edit changes both. A save is compared with what the reference says of it, and then a new context with
/// the reference; what the running context shows is compared by the steps that read, so that most edits
/// concern models and lists that were not read before.
struct ShapeTrial {
  let shape: Shape
  let store: ShapeStore
  var reference: Reference
  private(set) var context: ModelContext
  private let folder: TemporaryFolder
  private let configuration: any DataStoreConfiguration
  private var container: ModelContainer
  private var other: ModelContext
  /// The models to which the program has references.
  private(set) var heldModels: [Int: any ShapeModel] = [:]
  private var identifiers: [Int: PersistentIdentifier] = [:]
  private var isInTransaction = false

  private struct Abort: Error {}

  /// What is wrong where a program runs; nil if nothing is.
  static func difference(of program: ShapeProgram, in store: ShapeStore) -> String? {
    do {
      var trial = try ShapeTrial(program.shape, store)
      try trial.run(program)
      return nil
    } catch {
      return "\(error)"
    }
  }

  init(_ shape: Shape, _ store: ShapeStore) throws {
    self.shape = shape
    self.store = store
    reference = Reference(shape, membersHaveOneOwner: store.membersHaveOneOwner)
    folder = try TemporaryFolder()
    configuration = store.configuration(in: folder)
    container = try ModelContainer(for: shape.schema, configurations: [configuration])
    context = ModelContext(container)
    other = ModelContext(container)
  }

  mutating func run(_ program: ShapeProgram) throws {
    for (index, step) in program.steps.enumerated() {
      do {
        try run(step)
      } catch {
        throw ShapeDifference("step \(index + 1), \(step): \(error)")
      }
    }
    try save(rollsBack: true)
    try checkContext()
    try reopen()
    try checkContext()
  }

  private mutating func run(_ step: Shape.Step) throws {
    switch step {
    case .edit(let edit): try apply(edit)
    case .save(let rollsBack): try save(rollsBack: rollsBack)
    case .rollback: try rollback()
    case .transaction(let steps, let commits):
      if store.hasTransactions { try transaction(steps, commits) }
    case .elsewhere(let edits, let isProcessed): try editElsewhere(edits, isProcessed)
    case .look(let fetches):
      if fetches { try checkContext() } else { try checkHeldModels() }
    case .read(let number, let end): try checkLinks(number, end)
    case .ask(let question, let value, let includesPending):
      try checkFetch(question, value, includesPending)
    case .deleteAll(let question, let value): try deleteAll(question, value)
    case .forget(let numbers?): for number in numbers { heldModels[number] = nil }
    case .forget(nil): heldModels = [:]
    case .process: context.processPendingChanges()
    case .newContext:
      if !reference.isTouched { use(ModelContext(container)) }
    case .reopen:
      if !reference.isTouched { try reopen() }
    }
  }

  // MARK: Models

  /// The model with a number. One that was released is found in one of the ways that there are.
  mutating func model(_ number: Int) throws -> any ShapeModel {
    if let model = heldModels[number] { return model }
    guard let kind = reference.nodes[number]?.kind else {
      throw ShapeDifference("\(number) is not in the reference")
    }
    var found: (any ShapeModel)?
    if let identifier = identifiers[number], reference.stored[number] != nil {
      found =
        number.isMultiple(of: 2)
        ? context.model(for: identifier) as? any ShapeModel : kind.registered(context, identifier)
    }
    if found == nil {
      let deleted = context.deletedModelsArray.compactMap { $0 as? any ShapeModel }
      found = try (kind.fetch(context) + deleted).first { $0.number == number }
    }
    guard let found, found.number == number else {
      throw ShapeDifference("\(kind.name) \(number) is not found")
    }
    heldModels[number] = found
    return found
  }

  /// Keeps a model that was read.
  mutating func note(_ model: any ShapeModel) throws {
    if let known = heldModels.updateValue(model, forKey: model.number), known !== model {
      throw ShapeDifference("two instances show \(model.number)")
    }
    identifiers[model.number] = model.persistentModelID
  }

  private mutating func forgetMissing() {
    heldModels = heldModels.filter { reference.nodes[$0.key] != nil }
    for (number, model) in heldModels { identifiers[number] = model.persistentModelID }
  }

  private mutating func use(_ context: ModelContext) {
    heldModels = [:]
    self.context = context
  }

  private mutating func reopen() throws {
    identifiers = [:]
    container = try ModelContainer(for: shape.schema, configurations: [configuration])
    use(ModelContext(container))
    other = ModelContext(container)
  }

  // MARK: Steps

  private mutating func apply(_ edit: Shape.Edit) throws {
    var next = reference
    guard next.apply(edit) else { return }
    switch edit {
    case .insert(let new, let connection): try insert(new, connection)
    case .set(let number, let field, let choice):
      guard let kind = reference.nodes[number]?.kind else { return }
      shape.fieldsOfKind[kind.index][field].write(try model(number), choice)
    case .link(let owner, let end, let partner, let atEnd):
      let (owner, partner) = (try model(owner), try model(partner))
      if end.form == .toMany {
        end.access.insert(owner, partner, atEnd)
      } else {
        end.access.write(owner, [partner])
      }
    case .unlink(let owner, let end, let partner):
      if end.form == .toMany {
        end.access.remove(try model(owner), try model(partner))
      } else {
        end.access.write(try model(owner), [])
      }
    case .replace(let owner, let end, let members):
      end.access.write(try model(owner), try members.map { try model($0) })
    case .reverse(let owner, let end):
      let owner = try model(owner)
      end.access.write(owner, end.access.read(owner).reversed())
    case .delete(let number): delete(try model(number))
    case .keep(let number): insert(try model(number))
    }
    reference = next
    heldModels = heldModels.filter { next.nodes[$0.key] != nil }
  }

  private func insert(_ model: some ShapeModel) { context.insert(model) }

  private func delete(_ model: some ShapeModel) { context.delete(model) }

  private mutating func insert(_ new: Shape.New, _ connection: Shape.Connection?) throws {
    guard let model = new.kind.make(new.number, try new.required.map { try self.model($0) })
    else { throw ShapeDifference("\(new) is not made") }
    for (index, field) in shape.fieldsOfKind[new.kind.index].enumerated() {
      field.write(model, new.choice(index))
    }
    switch connection {
    case nil: insert(model)
    case .to(let end, let partner):
      end.access.write(model, [try self.model(partner)])
      insert(model)
    case .asMember(let owner, let end): end.access.insert(try self.model(owner), model, true)
    }
    heldModels[new.number] = model
  }

  private mutating func save(rollsBack: Bool) throws {
    var next = reference
    var refusal: Reference.Refusal?
    do { try next.save() } catch { refusal = error as? Reference.Refusal }
    do {
      try context.save()
    } catch {
      if refusal == nil { throw ShapeDifference("the save threw \(error)") }
      return rollsBack ? try rollback() : try checkContext()
    }
    if let refusal { throw ShapeDifference("the save did not throw, although \(refusal.reason)") }
    reference = next
    forgetMissing()
    try checkIsClean()
    if !isInTransaction { try checkStore() }
  }

  private mutating func rollback() throws {
    context.rollback()
    reference.rollback()
    forgetMissing()
    try checkHeldModels()
    try checkIsClean()
    try checkContext()
  }

  private mutating func transaction(_ steps: [Shape.Step], _ commits: Bool) throws {
    let stored = reference.stored
    var failure: (any Error)?
    var commit = reference
    var thrown: (any Error)?
    isInTransaction = true
    defer { isInTransaction = false }
    do {
      try context.transaction {
        do {
          for step in steps { try run(step) }
        } catch {
          failure = error
          throw error
        }
        commit = reference
        if !commits { throw Abort() }
      }
    } catch {
      thrown = error
    }
    if let failure { throw failure }
    let isRefused = (try? commit.save()) == nil
    if thrown == nil, isRefused { throw ShapeDifference("the transaction was to be refused") }
    if let thrown, commits, !isRefused {
      throw ShapeDifference("the transaction threw \(thrown)")
    }
    if thrown == nil { reference = commit } else { reference.restore(stored) }
    forgetMissing()
    try checkHeldModels()
    try checkIsClean()
    try checkContext()
    try checkStore()
  }

  private mutating func editElsewhere(_ edits: [Shape.Edit], _ isProcessed: Bool) throws {
    if reference.isTouched { return }
    let (context, held) = (context, heldModels)
    use(other)
    for edit in edits { try apply(edit) }
    try save(rollsBack: true)
    self.context = context
    heldModels = held
    if isProcessed { context.processPendingChanges() }
    forgetMissing()
    try checkContext()
  }

  private mutating func deleteAll(_ question: Shape.Question, _ value: Int) throws {
    if reference.isTouched { return }
    let isAllowed = (try? reference.deleteAll(question, value)) != nil
    do {
      try question.delete(context, value)
      if !isAllowed { throw ShapeDifference("the deletion was to be refused") }
    } catch let error where !(error is ShapeDifference) {
      if isAllowed { throw ShapeDifference("the deletion threw \(error)") }
    }
    forgetMissing()
    try checkIsClean()
    try checkContext()
    try checkStore()
  }
}
