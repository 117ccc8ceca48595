/// One way of keeping orders in a database. The tasks run in the order of `Task.allCases`, each on what
/// the one before left.
protocol Contender: AnyObject {
  static var name: String { get }

  /// Connects to a schema.
  /// - Parameter isEmpty: Whether it has no tables yet.
  init(_ address: String, isEmpty: Bool) throws

  func insert(_ values: [OrderValue]) throws

  /// Fetches everything into an array.
  /// - Returns: The array, so that it can be kept.
  func fetchAll() throws -> any Collection

  /// Fetches everything into an array and reads every property.
  func readAll() throws -> Checksum

  /// Visits everything without keeping it.
  func enumerate() throws -> Checksum

  /// Collects the identifiers to look up; not timed.
  func prepareLookUp() throws

  /// Fetches one row at a time by its identifier.
  /// - Returns: The length of the names.
  func lookUp(_ count: Int) throws -> Int

  /// Fetches the orders of a city, as often as told.
  /// - Returns: Their number.
  func filter(_ count: Int) throws -> Int

  /// Raises the price of every tenth order, in one transaction.
  func update(_ count: Int) throws

  /// Stores one order in a transaction of its own, as often as there are values.
  func saveOne(_ values: [OrderValue]) throws

  /// Fetches 1,000 teams with their 20 members each.
  /// - Returns: The length of the members' names.
  func prefetch() throws -> Int

  func deleteAll() throws
}

enum Task: String, CaseIterable {
  case insert, fetchAll, readAll, enumerate, lookUp, filter, update, saveOne, prefetch, deleteAll

  var title: String {
    switch self {
    case .insert: "insert and save 100,000"
    case .fetchAll: "fetch all"
    case .readAll: "fetch all, read every property"
    case .enumerate: "visit all one after the other"
    case .lookUp: "10,000 look-ups by identifier"
    case .filter: "2,000 filtered fetches of 20"
    case .update: "update 10,000 spread rows"
    case .saveOne: "1,000 saves of one row"
    case .prefetch: "1,000 owners with 20 members each"
    case .deleteAll: "delete all"
    }
  }

  /// Whether the task changes rows.
  var writes: Bool {
    switch self {
    case .insert, .update, .saveOne, .deleteAll: true
    case .fetchAll, .readAll, .enumerate, .lookUp, .filter, .prefetch: false
    }
  }

  /// The ratio to the handwritten code that we aim at.
  var bar: Double? {
    switch self {
    case .fetchAll, .readAll, .lookUp, .filter: 1.3
    case .insert, .update: 1.8
    case .saveOne: 1.5
    case .enumerate, .prefetch, .deleteAll: nil
    }
  }
}

struct Workload {
  static let rows = 100_000
  let values: [OrderValue]
  let single: [OrderValue]
  private let expected: Checksum

  init() {
    // 5,000 cities, so that each has 20 orders.
    values = (0..<Workload.rows).map { number in
      var value = OrderValue(number: number)
      value.city = Workload.city(number)
      return value
    }
    single = (0..<1000).map { OrderValue(number: Workload.rows + $0) }
    var sum = Checksum()
    for value in values { value.add(to: &sum) }
    expected = sum
  }

  /// The server returns rows in any order, and sums of floating-point numbers depend on it.
  private func isExpected(_ sum: Checksum) -> Bool { abs(sum.value - expected.value) < 100 }

  static func city(_ index: Int) -> String { "City number \(index % 5000)" }

  /// - Returns: The duration in seconds.
  func time(_ task: Task, of contender: any Contender) throws -> Double {
    if task == .lookUp { try contender.prepareLookUp() }
    let clock = ContinuousClock()
    let start = clock.now
    var isRight = true
    switch task {
    case .insert: try contender.insert(values)
    case .fetchAll: isRight = try contender.fetchAll().count == values.count
    case .readAll: isRight = try isExpected(contender.readAll())
    case .enumerate: isRight = try isExpected(contender.enumerate())
    case .lookUp: isRight = try contender.lookUp(10_000) > 100_000
    case .filter: isRight = try contender.filter(2000) == 40_000
    case .update: try contender.update(10_000)
    case .saveOne: try contender.saveOne(single)
    case .prefetch: isRight = try contender.prefetch() > 100_000
    case .deleteAll: try contender.deleteAll()
    }
    let seconds = (clock.now - start) / .seconds(1)
    guard isRight else {
      throw Failure("\(type(of: contender).name) gave a wrong answer to “\(task.title)”")
    }
    return seconds
  }
}

extension OrderValue {
  func add(to sum: inout Checksum) {
    sum.add(
      number: number, customer: customer, city: city, product: product, note: note,
      quantity: quantity, price: price, discount: discount, placed: placed, shipped: shipped,
      isPaid: isPaid, isGift: isGift, reference: reference)
  }
}
