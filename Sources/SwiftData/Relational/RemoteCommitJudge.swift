/// Decides what a look of `RemoteCommitReader` means: a state machine without a database.
///
/// | found                                                      | result     |
/// |------------------------------------------------------------|------------|
/// | the last number is lower than before                       | everything |
/// | a number after the last one is missing, or was deleted     | everything |
/// | transactions of others, one of them without changes        | everything |
/// | transactions of others, after one without changes          | everything |
/// | other transactions of others                               | these      |
/// | others committed, and the oldest transactions were deleted | nothing    |
/// | others committed, but no transaction is theirs             | everything |
/// | no commits of others                                       | nothing    |
///
/// "Others" are other containers and processes. A lower number comes from another file, or from an
/// older copy. Where numbers are not dense, deletions are recorded (`DeletedHistory`). A save without history leaves a transaction without changes, called a gap. It
/// extends or replaces an earlier gap at the end, so there are never two in a row. The numbers of an
/// extended gap have no transactions.
package struct RemoteCommitJudge: Sendable {
  /// The data that is read in one transaction.
  package struct Finding: Sendable {
    /// Whether other connections have committed since the last look.
    package var hasForeignCommits: Bool
    /// The last number that was assigned to a transaction.
    package var last: Int64
    /// The number of the oldest transaction.
    package var oldest: Int64?
    /// The transactions after the last look, in their order.
    package var transactions: [Transaction]
    /// The largest number of a deleted transaction; `nil` if missing numbers show what was deleted.
    package var lastDeleted: Int64?

    package init(
      hasForeignCommits: Bool, last: Int64, oldest: Int64?, transactions: [Transaction],
      lastDeleted: Int64? = nil
    ) {
      self.lastDeleted = lastDeleted
      self.hasForeignCommits = hasForeignCommits
      self.last = last
      self.oldest = oldest
      self.transactions = transactions
    }
  }

  package struct Transaction: Hashable, Sendable {
    let number: Int64
    let isOwn: Bool
    /// Whether it has no changes; not used for own transactions.
    let isGap: Bool

    package init(number: Int64, isOwn: Bool, isGap: Bool) {
      self.number = number
      self.isOwn = isOwn
      self.isGap = isGap
    }
  }

  package enum Verdict: Equatable, Sendable {
    case nothing
    /// Some transactions have changed rows.
    case transactions([Int64])
    /// Any row may have been changed.
    case everything
  }

  /// The number of the last transaction that was seen.
  package private(set) var last: Int64
  private var oldest: Int64?
  /// Whether the last transaction is a gap, or may be one.
  private var endsInGap: Bool

  /// - Parameter endsInGap: Whether the last transaction has no changes.
  package init(last: Int64, oldest: Int64?, endsInGap: Bool) {
    self.last = last
    self.oldest = oldest
    self.endsInGap = endsInGap
  }

  package mutating func judge(_ finding: Finding) -> Verdict {
    let others = finding.transactions.filter { !$0.isOwn }
    let wasGap = endsInGap
    let isContinuous =
      finding.lastDeleted.map { $0 <= last && finding.last >= last }
      ?? (finding.last - last == Int64(finding.transactions.count))
    let isPruned = finding.oldest != oldest
    if let newest = finding.transactions.last { endsInGap = newest.isGap }
    last = finding.last
    oldest = finding.oldest
    if !isContinuous { return .everything }
    if others.isEmpty { return finding.hasForeignCommits && !isPruned ? .everything : .nothing }
    if wasGap || others.contains(where: \.isGap) { return .everything }
    return .transactions(others.map(\.number))
  }
}
