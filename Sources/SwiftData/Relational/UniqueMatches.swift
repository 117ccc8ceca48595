/// The stored rows, and the earlier ones of some new models, that have the unique values of the models. They
/// were found with one statement for each constraint (`SaveStatements.Lookup.listSQL`). Used by `RowWriter`.
package struct UniqueMatches {
  /// What becomes of a new model.
  package enum Fate: Hashable {
    case inserted
    /// It becomes the stored row with this key.
    case row(Int64)
    /// It becomes the row of the new model at this position.
    case earlier(Int)
  }

  private struct Match {
    /// The position of the first model with the same values.
    let first: Int
    /// 0 if no stored row has them.
    let key: Int64
    let entity: Int
  }

  /// The number of models.
  package private(set) var count: Int
  /// For each constraint, the models that are not the only ones with their values.
  private var matches: [[Int: Match]] = []

  package init(count: Int) { self.count = count }

  /// Adds what was found for the next constraint.
  /// - Parameter entity: The number of the only entity in the table; `nil` if the number was returned too.
  package mutating func add(_ found: ListedResult, entity: Int?) {
    let width = entity == nil ? 4 : 3
    var constraint: [Int: Match] = [:]
    for start in stride(from: 0, to: found.integers.count, by: width) {
      let row = found.integers[start..<start + width]
      constraint[Int(row[start]) - 1] = Match(
        first: Int(row[start + 1]) - 1, key: row[start + 2],
        entity: entity ?? Int(row[start + 3]))
    }
    matches.append(constraint)
    count = min(count, found.count)
  }

  /// What becomes of the first models, up to one for which that depends on how those before it are written,
  /// or for which an error has to be thrown.
  /// - Parameters:
  ///   - entity: The number of the entity of the models.
  ///   - refusesUpserts: Whether a model with the values of another row is an error.
  package func fates(of entity: Int, refusesUpserts: Bool) -> [Fate] {
    var fates: [Fate] = []
    fates.reserveCapacity(count)
    // A row that is merged with a model may get other values in another constraint.
    var claimed: Set<Int64> = []
    for position in 0..<count {
      var fate = Fate.inserted
      for constraint in matches {
        guard let match = constraint[position] else { continue }
        if refusesUpserts { return fates }
        if match.first < position, matches.count > 1 { return fates }
        if match.key == 0 {
          fate = .earlier(match.first)
          continue
        }
        guard match.entity == entity, fate == .inserted || fate == .row(match.key) else {
          return fates
        }
        fate = .row(match.key)
      }
      if matches.count > 1, case .row(let key) = fate, !claimed.insert(key).inserted {
        return fates
      }
      fates.append(fate)
    }
    return fates
  }
}

/// How many models are looked up together: few after a batch that ended early, because then the next one may
/// too, and many again while none does.
package struct UniqueBatchSize {
  private static let (least, most) = (8, 1000)

  package private(set) var count = UniqueBatchSize.most

  package init() {}

  package mutating func note(written: Int, of wanted: Int) {
    count =
      written < wanted
      ? max(2 * written, UniqueBatchSize.least) : min(2 * count, UniqueBatchSize.most)
  }
}

/// Updates of the rows with which new models are merged. A row occurs once: the later model wins.
struct MergedRows {
  typealias Row = (index: Int, key: Int64)

  struct Group {
    let update: EntitySave.Update
    /// `nil` in place of a row that a later model writes.
    fileprivate(set) var rows: [Row?] = []
  }

  private(set) var groups: [Group] = []
  private var places: [Int64: (group: Int, row: Int)] = [:]

  /// - Returns: Whether the update was added. If not, those before it must be written first, because one of
  ///   them writes columns of the same row that this one does not write.
  mutating func add(_ row: Row, _ update: EntitySave.Update) -> Bool {
    if let place = places[row.key] {
      guard groups[place.group].update.slots.subtracting(update.slots).isEmpty else { return false }
      groups[place.group].rows[place.row] = nil
    }
    let group =
      groups.firstIndex { $0.update.slots == update.slots }
      ?? {
        groups.append(Group(update: update))
        return groups.count - 1
      }()
    places[row.key] = (group, groups[group].rows.count)
    groups[group].rows.append(row)
    return true
  }
}
