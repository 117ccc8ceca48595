import Foundation

/// One way of keeping orders in a file.
///
/// The tasks run in the order of `Task.allCases`, each on what the one before left.
protocol Contender: AnyObject {
  static var name: String { get }

  /// Opens the store at the path and makes its tables.
  init(path: String) throws

  /// Makes objects and drops them without saving.
  func create(_ values: [OrderValue]) throws

  func insert(_ values: [OrderValue]) throws

  /// Fetches everything into an array and answers it, so that it can be kept.
  func fetchAll() throws -> any Collection

  /// Fetches everything and reads every property.
  func readAll() throws -> Checksum

  /// Visits everything without keeping it.
  func enumerate() throws -> Checksum

  /// Collects the identifiers to look up; not timed.
  func prepareLookUp() throws

  /// Fetches one row at a time by its identifier and reads one property.
  func lookUp(_ count: Int) throws -> Int

  /// Fetches 50 rows of a city, cheapest first, as often as told.
  func filter(_ count: Int) throws -> Int

  /// Fetches one row at a time by a value that an index knows and reads one property.
  func findOne(_ count: Int) throws -> Int

  /// Writes rows whose number the store has already.
  func upsert(_ values: [OrderValue]) throws

  func deleteAll() throws

  /// Counts by conditions of which no two are of one shape, in an empty store; `nil` for a contender
  /// that has no conditions to compile.
  func compile(_ count: Int) throws -> Int?
}

extension Contender {
  func prepareLookUp() throws {}
  func compile(_ count: Int) throws -> Int? { nil }
}

enum Task: String, CaseIterable {
  case create, insert, fetchAll, readAll, lookUp, findOne, filter, enumerate, upsert, deleteAll,
    compile

  var title: String {
    switch self {
    case .create: "create 100,000 unsaved"
    case .insert: "insert and save 100,000"
    case .fetchAll: "fetch all"
    case .readAll: "fetch all, read every property"
    case .lookUp: "10,000 look-ups by identifier"
    case .findOne: "10,000 fetches of one row by its number"
    case .filter: "200 filtered and sorted fetches of 50"
    case .enumerate: "visit all one after the other"
    case .upsert: "upsert 50,000"
    case .deleteAll: "delete all"
    case .compile: "1,000 counts by new shapes of predicates"
    }
  }

  /// The ratio to the handwritten code that we aim at.
  var bar: Double? {
    switch self {
    case .insert, .upsert: 1.8
    case .fetchAll: 1
    case .readAll, .findOne: 1.4
    case .lookUp, .deleteAll: 1.2
    case .filter: 1.1
    case .enumerate: 1.6
    case .create, .compile: nil
    }
  }
}

struct Workload {
  let values: [OrderValue]
  let changed: [OrderValue]
  private let expected: Checksum

  init(rows: Int) {
    values = (0..<rows).map(OrderValue.init)
    changed = values.prefix(rows / 2).map { value in
      var value = value
      value.price += 1
      return value
    }
    var sum = Checksum()
    for value in values { value.add(to: &sum) }
    expected = sum
  }

  /// Runs a task and answers its duration in seconds.
  /// - Parameter run: Runs what is measured.
  func time(
    _ task: Task, of contender: any Contender,
    run: (() throws -> String) throws -> String = { try $0() }
  ) throws -> Double {
    let clock = ContinuousClock()
    if task == .lookUp { try contender.prepareLookUp() }
    let start = clock.now
    let answer = try run { try perform(task, of: contender) }
    if answer == "none" { return .nan }
    let seconds = (clock.now - start) / .seconds(1)
    if answer == "false" {
      throw WrongAnswer(task: task, contender: type(of: contender).name)
    }
    return seconds
  }

  /// - Returns: "false" for a wrong answer, "none" if the contender has no such task.
  private func perform(_ task: Task, of contender: any Contender) throws -> String {
    var answer = ""
    switch task {
    case .create: try contender.create(values)
    case .insert: try contender.insert(values)
    case .fetchAll: answer = try "\(contender.fetchAll().count == values.count)"
    case .readAll: answer = try "\(contender.readAll() == expected)"
    case .lookUp: answer = try "\(contender.lookUp(10_000) > 0)"
    case .findOne: answer = try "\(contender.findOne(10_000) > 0)"
    case .filter: answer = try "\(contender.filter(200) == 200 * 50)"
    case .enumerate: answer = try "\(contender.enumerate() == expected)"
    case .upsert: try contender.upsert(changed)
    case .deleteAll: try contender.deleteAll()
    case .compile: answer = try contender.compile(1000).map { "\($0 == 0)" } ?? "none"
    }
    return answer
  }
}

struct WrongAnswer: Error, CustomStringConvertible {
  let task: Task
  let contender: String

  var description: String { "\(contender) gave a wrong answer to “\(task.title)”" }
}

extension OrderValue {
  func add(to sum: inout Checksum) {
    sum.add(
      number: number, customer: customer, city: city, product: product, note: note,
      quantity: quantity, price: price, discount: discount, placed: placed, shipped: shipped,
      isPaid: isPaid, isGift: isGift, reference: reference)
  }
}
