import SwiftData

/// Comparisons of contexts with the reference.
extension ShapeTrial {
  /// The running context shows the unsaved graph, and lists what is unsaved.
  mutating func checkContext() throws {
    try compare(context, with: reference.shown)
    func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
      if !condition { throw ShapeDifference(text()) }
    }
    func numbers(_ models: [any PersistentModel]) -> [Int] {
      models.compactMap { ($0 as? any ShapeModel)?.number }.sorted()
    }
    let inserted = numbers(context.insertedModelsArray)
    try expect(
      inserted == reference.new.sorted(),
      "inserted models are \(inserted), expected \(reference.new.sorted())")
    let deleted = numbers(context.deletedModelsArray)
    try expect(
      deleted == reference.doomed.sorted(),
      "deleted models are \(deleted), expected \(reference.doomed.sorted())")
    for number in deleted {
      try expect(heldModels[number]?.isDeleted ?? true, "isDeleted of \(number) is false")
    }
    if !inserted.isEmpty || !deleted.isEmpty {
      try expect(context.hasChanges, "hasChanges is false")
    }
  }

  /// The models to which the program has references show the unsaved graph, without a fetch that could
  /// read them again.
  func checkHeldModels() throws {
    let shown = reference.shown
    for (number, model) in heldModels {
      if let node = shown[number] { try compare(model, node) }
    }
  }

  func checkIsClean() throws {
    if context.hasChanges {
      throw ShapeDifference("hasChanges is true, of \(context.changedModelsArray)")
    }
  }

  /// A new context shows the stored graph.
  mutating func checkStore() throws {
    do {
      try compare(ModelContext(context.container), with: reference.stored)
    } catch {
      throw ShapeDifference("in a new context, \(error)")
    }
  }

  mutating func checkLinks(_ number: Int, _ end: Shape.End) throws {
    guard let node = reference.shown[number] else { return }
    try compareLinks(try model(number), end, node)
  }

  func checkFetch(_ question: Shape.Question, _ value: Int, _ includesPending: Bool) throws {
    // What a predicate says of a stand-in is not defined.
    if reference.hasStandIns { return }
    var reference = reference
    if !includesPending { reference.rollback() }
    let expected = reference.numbers(question, value)
    let fetched = try question.fetch(context, value, includesPending).sorted()
    let count = try question.count(context, value, includesPending)
    if fetched != expected || count != expected.count {
      throw ShapeDifference("fetched \(fetched), counted \(count), expected \(expected)")
    }
  }

  // MARK: Comparing

  private mutating func compare(
    _ context: ModelContext, with expected: [Int: Reference.Node]
  ) throws {
    let isOwn = context === self.context
    var models: [Int: any ShapeModel] = [:]
    for model in try shape.roots.flatMap({ try $0.fetch(context) }) {
      let number = model.number
      if models.updateValue(model, forKey: number) != nil {
        throw ShapeDifference("\(number) is fetched twice")
      }
      guard let node = expected[number], node.kind === shape.kind(of: model) else {
        throw ShapeDifference("\(type(of: model)) \(number) is fetched, but should not be there")
      }
      if model.isDeleted || model.modelContext !== context {
        throw ShapeDifference("\(number) is fetched, but does not belong to the context")
      }
      if isOwn { try note(model) }
    }
    for (number, node) in expected where models[number] == nil {
      throw ShapeDifference("\(node.kind.name) \(number) is missing")
    }
    for (number, model) in models {
      if let node = expected[number] { try compare(model, node, among: models) }
    }
  }

  private func compare(
    _ model: any ShapeModel, _ node: Reference.Node, among models: [Int: any ShapeModel] = [:]
  ) throws {
    for (field, choice) in zip(shape.fieldsOfKind[node.kind.index], node.choices) {
      let (found, expected) = (field.read(model), field.texts[choice])
      if found != expected {
        throw ShapeDifference("\(model.number).\(field.name) is \(found), expected \(expected)")
      }
    }
    for end in shape.endsOfKind[node.kind.index] {
      try compareLinks(model, end, node, among: models)
    }
  }

  /// - Parameters:
  ///   - node: What the model should show.
  ///   - models: The fetched models, which links must lead to.
  private func compareLinks(
    _ model: any ShapeModel, _ end: Shape.End, _ node: Reference.Node,
    among models: [Int: any ShapeModel] = [:]
  ) throws {
    let expected = (node.links[end.index] ?? []).sorted()
    // It shows a stand-in.
    if end.form == .required, expected.isEmpty { return }
    var partners = end.access.read(model)
    if end.inverse == nil, model.modelContext === context {
      // A new model that was deleted stays there until the save.
      partners = partners.filter { reference.nodes[$0.number] != nil }
    }
    let found = partners.map(\.number).sorted()
    if found != expected {
      throw ShapeDifference("\(model.number).\(end.name) is \(found), expected \(expected)")
    }
    for partner in partners {
      if let fetched = models[partner.number], fetched !== partner {
        throw ShapeDifference(
          "\(model.number).\(end.name) leads to another instance of \(partner.number)")
      }
    }
  }
}
