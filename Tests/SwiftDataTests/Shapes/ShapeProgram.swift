/// Random steps on a shape.
struct ShapeProgram {
  let shape: Shape
  var steps: [Shape.Step] = []

  init(_ shape: Shape, _ steps: [Shape.Step]) {
    self.shape = shape
    self.steps = steps
  }

  init(_ shape: Shape, seed: UInt64, length: Int) {
    self.shape = shape
    var writer = ShapeProgramWriter(shape, seed)
    for _ in 0..<length {
      if let step = writer.step() { steps.append(step) }
    }
  }
}

extension ShapeProgram {
  /// A program as short as possible that fails too: with few steps, and few parts of these.
  func shrunk(while fails: (ShapeProgram) -> Bool) -> ShapeProgram {
    var best = ShapeProgram(shape, steps.shrunk { fails(ShapeProgram(shape, $0)) })
    for index in best.steps.indices {
      best.steps[index] = best.steps[index].shrunk { step in
        var program = best
        program.steps[index] = step
        return fails(program)
      }
    }
    return best
  }
}

extension Shape.Step {
  fileprivate func shrunk(while fails: (Self) -> Bool) -> Self {
    switch self {
    case .transaction(let steps, let commits):
      .transaction(
        steps.shrunk { fails(.transaction($0, commits: commits)) }, commits: commits)
    case .elsewhere(let edits, let isProcessed):
      .elsewhere(
        edits.shrunk { fails(.elsewhere($0, isProcessed: isProcessed)) },
        isProcessed: isProcessed)
    default: self
    }
  }
}

extension ShapeProgram: CustomStringConvertible {
  /// A line for each step.
  var description: String {
    steps.enumerated().map { "  \($0.offset + 1). \($0.element)" }.joined(separator: "\n")
  }
}

/// Chooses steps beside a reference, so that most of them are possible where they stand.
private struct ShapeProgramWriter {
  private let shape: Shape
  private var random: SeededRandom
  private var reference: Reference
  private var lastNumber = 0

  init(_ shape: Shape, _ seed: UInt64) {
    self.shape = shape
    random = SeededRandom(seed)
    reference = Reference(shape)
  }

  mutating func step() -> Shape.Step? {
    switch random.below(100) {
    case 0..<64: return edit().map { .edit($0) }
    case 64..<71:
      let rollsBack = random.chance(50)
      save(rollsBack: rollsBack)
      return .save(rollsBack: rollsBack)
    case 71..<73:
      reference.rollback()
      return .rollback
    case 73..<78: return .look(fetches: random.chance(50))
    case 78..<82: return random.chance(33) ? .forget(nil) : .forget(some(of: reference.present()))
    case 82..<86:
      guard let number = one(of: reference.present()), let end = oneEnd(of: number) else { break }
      return .read(number, end)
    case 86..<91: return ask()
    case 91..<94: return transaction()
    case 94: return .process
    case 95: return reference.isTouched ? nil : .newContext
    case 96: return reference.isTouched ? nil : .reopen
    case 97: return deleteAll()
    default: return elsewhere()
    }
    return nil
  }

  // MARK: Steps

  private mutating func edit() -> Shape.Edit? {
    guard let edit = chosenEdit(), reference.apply(edit) else { return nil }
    return edit
  }

  private mutating func chosenEdit() -> Shape.Edit? {
    switch random.below(64) {
    case 0..<17: return insertion()
    case 17..<45:
      guard let owner = one(of: reference.present()), let end = oneEnd(of: owner) else { break }
      return linking(owner, end)
    case 45..<54:
      guard let number = one(of: reference.present()), let node = reference.nodes[number]
      else { break }
      return .set(number, random.below(node.choices.count), random.below(Shape.Field.count))
    case 54..<61: return one(of: reference.present()).map { .delete($0) }
    default: return one(of: reference.doomed.sorted()).map { .keep($0) }
    }
    return nil
  }

  private mutating func insertion() -> Shape.Edit? {
    let kind = random.pick(shape.kinds)
    var required: [Int] = []
    for end in shape.endsOfKind[kind.index] where end.form == .required {
      guard let partner = one(of: reference.present(end.accepts)) else { return nil }
      required.append(partner)
    }
    lastNumber += 1
    let new = Shape.New(
      number: lastNumber, kind: kind, seed: random.below(Shape.Field.count), required: required)
    switch random.below(3) {
    case 0:
      guard let end = one(of: shape.endsOfKind[kind.index].filter { $0.form == .toOne }),
        let partner = one(of: reference.present(end.accepts))
      else { break }
      return .insert(new, .to(end, partner))
    case 1:
      guard required.isEmpty,
        let end = one(of: shape.ends.filter { $0.form == .toMany && $0.accepts(kind.type) }),
        let owner = one(of: reference.present(end.belongs))
      else { break }
      return .insert(new, .asMember(owner, end))
    default: break
    }
    return .insert(new, nil)
  }

  private mutating func linking(_ owner: Int, _ end: Shape.End) -> Shape.Edit? {
    let linked = reference.links(owner, end).filter(reference.isPresent).sorted()
    let candidates = reference.present(end.accepts)
    if end.form != .required, random.chance(25) {
      return one(of: linked).map { .unlink(owner, end, $0) }
    }
    if end.form == .toMany, random.chance(30) {
      switch random.below(4) {
      case 0: return .replace(owner, end, [])
      case 1: return linked.count > 1 ? .reverse(owner, end) : nil
      case 2:
        guard let old = one(of: linked), let new = one(of: candidates) else { return nil }
        return .replace(owner, end, linked.filter { $0 != old && $0 != new } + [new])
      default: return .replace(owner, end, some(of: candidates))
      }
    }
    return one(of: candidates).map { .link(owner, end, $0, atEnd: random.chance(75)) }
  }

  private mutating func ask() -> Shape.Step? {
    guard let question = one(of: shape.questions) else { return nil }
    return .ask(question, random.below(Shape.Field.count), includesPending: random.chance(75))
  }

  private mutating func deleteAll() -> Shape.Step? {
    guard !reference.isTouched, let question = one(of: shape.questions) else { return nil }
    let value = random.below(Shape.Field.count)
    try? reference.deleteAll(question, value)
    return .deleteAll(question, value)
  }

  private mutating func transaction() -> Shape.Step? {
    let stored = reference.stored
    var steps: [Shape.Step] = []
    for _ in 0..<2 + random.below(6) {
      switch random.below(8) {
      case 0:
        steps.append(.save(rollsBack: false))
        save(rollsBack: false)
      case 1: steps.append(.look(fetches: random.chance(50)))
      case 2: if let step = ask() { steps.append(step) }
      default: if let edit = edit() { steps.append(.edit(edit)) }
      }
    }
    let commits = random.chance(40)
    if !commits || (try? reference.save()) == nil { reference.restore(stored) }
    return .transaction(steps, commits: commits)
  }

  private mutating func elsewhere() -> Shape.Step? {
    guard !reference.isTouched else { return nil }
    var edits: [Shape.Edit] = []
    for _ in 0..<1 + random.below(4) {
      if let edit = edit() { edits.append(edit) }
    }
    save(rollsBack: true)
    return .elsewhere(edits, isProcessed: random.chance(33))
  }

  private mutating func save(rollsBack: Bool) {
    if (try? reference.save()) == nil, rollsBack { reference.rollback() }
  }

  // MARK: Choosing

  private mutating func one<T>(of elements: [T]) -> T? {
    elements.isEmpty ? nil : random.pick(elements)
  }

  private mutating func oneEnd(of number: Int) -> Shape.End? {
    reference.nodes[number].flatMap { one(of: shape.endsOfKind[$0.kind.index]) }
  }

  private mutating func some(of numbers: [Int]) -> [Int] {
    let percent = random.below(100)
    return numbers.filter { _ in random.chance(percent) }
  }
}
