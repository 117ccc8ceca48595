import OpenSwiftDataTestModels

/// Who makes a step.
enum WriterName: String, CaseIterable {
  /// Two contexts of one container.
  case first, sibling
  /// Contexts of other containers on the file.
  case second, third
  /// Another process.
  case process
}

/// A list of steps, each by one of several writers of a file.
struct WritersProgram: CustomStringConvertible {
  struct Step {
    let writer: WriterName
    let move: League.Move
  }

  var steps: [Step]

  init(_ steps: [Step]) { self.steps = steps }

  init(_ steps: [(WriterName, League.Move)]) { self.init(steps.map(Step.init)) }

  /// - Parameters:
  ///   - usesProcess: Whether another process is one of the writers.
  ///   - undoes: Whether writers undo and redo.
  init(seed: UInt64, length: Int, usesProcess: Bool, undoes: Bool = false) {
    var random = SeededRandom(seed)
    var writers: [WriterName] = [.first, .second]
    if random.chance(50) { writers.append(.sibling) }
    writers.append(usesProcess ? .process : .third)
    steps = [Step(writer: .first, move: .insertLeague), Step(writer: .first, move: .save)]
    steps += writers.dropFirst().map { Step(writer: $0, move: .look) }
    while steps.count < length {
      let writer = random.pick(writers)
      let isUndo = undoes && random.chance(25)
      let move = isUndo ? random.pick([.undo, .undo, .redo]) : League.Move.any(&random)
      steps.append(Step(writer: writer, move: move))
    }
    steps += writers.map { Step(writer: $0, move: .save) }
    steps += writers.map { Step(writer: $0, move: .look) }
  }

  /// The steps as arguments of a regression test.
  var description: String {
    steps.map { "(.\($0.writer.rawValue), \($0.move))" }.joined(separator: ",\n")
  }

  mutating func replace(_ writer: WriterName, by other: WriterName) {
    steps = steps.map { $0.writer == writer ? Step(writer: other, move: $0.move) : $0 }
  }

  /// A program as short as possible that fails too.
  func shrunk(while fails: (WritersProgram) -> Bool) -> WritersProgram {
    WritersProgram(steps.shrunk { fails(WritersProgram($0)) })
  }
}

extension League.Move {
  fileprivate static func any(_ random: inout SeededRandom) -> League.Move {
    func kind() -> League.Kind { random.pick(League.Kind.allCases) }
    switch random.below(100) {
    case 0..<60: return edit(&random)
    case 60..<76: return .save
    case 76..<82:
      let moves = (0...random.below(4)).map { _ in edit(&random) }
      return .transaction(moves, commits: random.chance(75))
    case 82..<86: return .attempt
    case 86..<89: return .rollback
    case 89..<95: return .fetch(kind())
    default: return .look
    }
  }

  private static func edit(_ random: inout SeededRandom) -> League.Move {
    func number() -> Int { random.below(16) }
    func kind() -> League.Kind { random.pick(League.Kind.allCases) }
    func bond() -> League.Bond { random.pick(League.Bond.allCases) }
    func side() -> League.Side { random.chance(50) ? .left : .right }
    switch random.below(40) {
    case 0...1: return .insert(kind(), number())
    case 2...3: return .upsert(random.below(5))
    case 4...9: return .grow(bond(), number())
    case 10...11: return .edit(kind(), number(), random.below(4))
    case 12: return .recode(number(), random.below(5))
    case 13...21: return .link(bond(), side(), number(), number())
    case 22...24: return .unlink(bond(), side(), number(), number())
    case 25...26: return .replace(bond(), side(), number(), number())
    case 27: return .swap(number(), number())
    case 28...29: return .load(bond(), side(), number())
    case 30...36: return .delete(kind(), number())
    default: return .deleteAll(kind(), random.below(4))
    }
  }
}
