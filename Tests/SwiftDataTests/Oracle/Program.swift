/// One step of a random program. Numbers choose among what is there, so a step has a meaning in
/// whatever program it stands.
enum Move {
  case insert(Kind)
  /// A new team with two new members and a badge, of which only the team is inserted.
  case insertTree
  case edit(Int, Int)
  /// Two badges swap their unique values.
  case swap(Int, Int)
  /// Inserts a team, a club or a badge with the unique value of one that is there.
  case upsert(Kind, Int)
  /// Edits a club through an instance that an upsert made a duplicate, and saves.
  case editDuplicate(Int, Int)
  /// Sets the members of a team or a club, or the holder of a badge, through such an instance, chosen by the
  /// bits of the last number, and saves. Where there is none, an upsert makes one.
  case replaceByDuplicate(Int, Int)
  /// Sets a to-one, or appends to a to-many.
  case link(Bond, Bond.Side, Int, Int)
  /// Sets a whole to-many, chosen by the bits of the last number, or a to-one to nil.
  case replace(Bond, Bond.Side, Int, Int)
  case unlink(Bond, Bond.Side, Int, Int)
  case delete(Int)
  /// The next step belongs to the same undoable event.
  case joined
  case recordUndo
  case undo
  case redo
  case save
  case rollback
  /// Lets all models go that nothing but the test holds.
  case forget
  /// The same on another thread, while this one fetches.
  case forgetOnAnotherThread
  /// Another context makes a step and saves it.
  indirect case elsewhere(Move)
  /// Another context deletes something and saves, whatever is unsaved here.
  case deleteElsewhere(Int)
  /// Links to a model of another container, which no save takes, and sets the old partners again.
  case linkStranger(Bond, Bond.Side, Int)
  /// All contexts and the container are closed and the file is opened again.
  case reopen
}

extension Move: CustomStringConvertible {
  /// The step as source text.
  var description: String {
    switch self {
    case .insert(let kind): ".insert(.\(kind))"
    case .edit(let which, let value): ".edit(\(which), \(value))"
    case .swap(let one, let other): ".swap(\(one), \(other))"
    case .upsert(let kind, let which): ".upsert(.\(kind), \(which))"
    case .editDuplicate(let which, let value): ".editDuplicate(\(which), \(value))"
    case .replaceByDuplicate(let which, let bits): ".replaceByDuplicate(\(which), \(bits))"
    case .link(let bond, let side, let one, let other):
      ".link(.\(bond), .\(side), \(one), \(other))"
    case .replace(let bond, let side, let one, let bits):
      ".replace(.\(bond), .\(side), \(one), \(bits))"
    case .unlink(let bond, let side, let one, let other):
      ".unlink(.\(bond), .\(side), \(one), \(other))"
    case .delete(let which): ".delete(\(which))"
    case .elsewhere(let step): ".elsewhere(\(step.description))"
    case .deleteElsewhere(let which): ".deleteElsewhere(\(which))"
    case .linkStranger(let bond, let side, let which):
      ".linkStranger(.\(bond), .\(side), \(which))"
    case .insertTree: ".insertTree"
    case .joined: ".joined"
    case .recordUndo: ".recordUndo"
    case .undo: ".undo"
    case .redo: ".redo"
    case .save: ".save"
    case .rollback: ".rollback"
    case .forget: ".forget"
    case .forgetOnAnotherThread: ".forgetOnAnotherThread"
    case .reopen: ".reopen"
    }
  }
}

/// A list of steps, made from a seed.
struct Program: CustomStringConvertible {
  var steps: [Move]

  init(_ steps: [Move]) { self.steps = steps }

  /// - Parameter undoes: Whether an undo manager is there from the start.
  init(seed: UInt64, length: Int, undoes: Bool) {
    var random = SeededRandom(seed)
    steps = undoes ? [.recordUndo] : []
    steps += [.insertTree, .insert(.captain), .insert(.club), .insert(.chore)]
    while steps.count < length { steps.append(Move.any(undoes: undoes, &random)) }
  }

  var description: String { "[" + steps.map(\.description).joined(separator: ", ") + "]" }

  /// A program as short as possible that fails too.
  func shrunk(while fails: (Program) -> Bool) -> Program {
    Program(steps.shrunk { fails(Program($0)) })
  }
}

extension Move {
  fileprivate static func any(undoes: Bool, _ random: inout SeededRandom) -> Move {
    switch Int.random(in: 0..<34, using: &random) {
    case 0...19: return edit(&random)
    case 20, 21: return .save
    case 22: return .rollback
    case 23: return .forget
    case 24: return .elsewhere(edit(&random))
    case 25:
      func number() -> Int { Int.random(in: 0..<16, using: &random) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return .reopen
      case 1: return .editDuplicate(number(), number())
      default: return .save
      }
    case 26: return .joined
    case 30 where allowsThreads: return .forgetOnAnotherThread
    case 31 where allowsDeletions: return .deleteElsewhere(Int.random(in: 0..<16, using: &random))
    case 32 where allowsStrangers:
      return .linkStranger(bond(&random), side(&random), Int.random(in: 0..<16, using: &random))
    case 33:
      return .replaceByDuplicate(
        Int.random(in: 0..<16, using: &random), Int.random(in: 0..<16, using: &random))
    case 30...32: return edit(&random)
    case 27, 28: return undoes ? .undo : edit(&random)
    default: return undoes ? .redo : edit(&random)
    }
  }

  private static let allowsThreads = true
  private static let allowsDeletions = true
  private static let allowsStrangers = true

  private static func bond(_ random: inout SeededRandom) -> Bond {
    Bond(rawValue: Int.random(in: 0..<5, using: &random)) ?? .team
  }

  private static func side(_ random: inout SeededRandom) -> Bond.Side {
    Bool.random(using: &random) ? .left : .right
  }

  private static func edit(_ random: inout SeededRandom) -> Move {
    func number() -> Int { Int.random(in: 0..<16, using: &random) }
    func bond() -> Bond { Move.bond(&random) }
    func side() -> Bond.Side { Move.side(&random) }
    switch Int.random(in: 0..<22, using: &random) {
    case 20, 21:
      let kinds = Kind.allCases.filter(\.isUnique)
      return .upsert(kinds[Int.random(in: kinds.indices, using: &random)], number())
    case 0...2: return .insert(Kind(rawValue: Int.random(in: 0..<6, using: &random)) ?? .team)
    case 3: return .insertTree
    case 4...6: return .edit(number(), number())
    case 7: return .swap(number(), number())
    case 8...12: return .link(bond(), side(), number(), number())
    case 13, 14: return .replace(bond(), side(), number(), number())
    case 15, 16: return .unlink(bond(), side(), number(), number())
    default: return .delete(number())
    }
  }
}
