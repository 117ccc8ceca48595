/// What a store found at its looks at the commits of others: a state machine without a database.
///
/// | found                                                    | means        |
/// |----------------------------------------------------------|--------------|
/// | the last number is lower than before                     | everything   |
/// | a number is missing behind the last one                  | everything   |
/// | transactions of others, one of them without changes      | everything   |
/// | transactions of others, behind one without changes       | everything   |
/// | other transactions of others                             | these        |
/// | others committed, and the oldest transactions are gone   | nothing      |
/// | others committed, and no transaction is theirs           | everything   |
/// | nothing of others                                        | nothing      |
///
/// A lower number is that of another file, or of an older copy of it. Whoever writes without history leaves
/// a transaction without changes, a gap, and no second one behind it.
package struct RemoteCommitsState: Sendable {
  /// What is read in one transaction.
  package struct Finding: Sendable {
    /// Whether others have committed anything since the last look.
    package var othersCommitted: Bool
    /// The last number that a transaction was given.
    package var last: Int64
    /// The number of the oldest transaction.
    package var oldest: Int64?
    /// The transactions behind the last look, in their order.
    package var transactions: [Transaction]

    package init(
      othersCommitted: Bool, last: Int64, oldest: Int64?, transactions: [Transaction]
    ) {
      self.othersCommitted = othersCommitted
      self.last = last
      self.oldest = oldest
      self.transactions = transactions
    }
  }

  package struct Transaction: Hashable, Sendable {
    let number: Int64
    let isOwn: Bool
    /// Whether it has no changes; not asked for own ones.
    let isGap: Bool

    package init(number: Int64, isOwn: Bool, isGap: Bool) {
      self.number = number
      self.isOwn = isOwn
      self.isGap = isGap
    }
  }

  package enum Verdict: Equatable, Sendable {
    case nothing
    /// Rows were changed by some transactions.
    case transactions([Int64])
    /// Any row may be changed.
    case everything
  }

  /// The number of the last transaction that was seen.
  package private(set) var last: Int64
  private var oldest: Int64?
  /// Whether the last transaction is a gap, or may be one.
  private var endsInGap: Bool

  /// - Parameter endsInGap: Whether the last transaction is one without changes.
  package init(last: Int64, oldest: Int64?, endsInGap: Bool) {
    self.last = last
    self.oldest = oldest
    self.endsInGap = endsInGap
  }

  package mutating func judge(_ finding: Finding) -> Verdict {
    let others = finding.transactions.filter { !$0.isOwn }
    let wasGap = endsInGap
    let isContinuous = finding.last - last == Int64(finding.transactions.count)
    let isPruned = finding.oldest != oldest
    if let newest = finding.transactions.last { endsInGap = newest.isGap }
    last = finding.last
    oldest = finding.oldest
    if !isContinuous { return .everything }
    if others.isEmpty { return finding.othersCommitted && !isPruned ? .everything : .nothing }
    if wasGap || others.contains(where: \.isGap) { return .everything }
    return .transactions(others.map(\.number))
  }
}
