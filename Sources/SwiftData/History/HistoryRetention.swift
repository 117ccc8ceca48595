public import Foundation

/// How much history a store keeps, by age, number of transactions and size.
///
/// ```swift
/// var configuration = ModelConfiguration("trips")
/// configuration.historyRetention = HistoryRetention(maximumAge: 30 * 86_400)
/// ```
///
/// History that is beyond any of the limits goes, the oldest transactions first and each as a whole:
///
/// - After a save or a batch deletion, in a transaction of its own, about a thousand changes at a time, so
///   that a long history becomes shorter little by little. While nothing is due, nothing is read for it.
/// - A limit may be exceeded by a sixteenth before something is done, so that not each save has to.
/// - What an observer in this process has not read yet stays.
///
/// A token from before what is left throws `SwiftDataError.historyTokenExpired`. Space that becomes free
/// is used for new rows. Not in Apple's framework.
public struct HistoryRetention: Hashable, Sendable {
  /// How old transactions may become, in seconds; `nil` for no limit.
  ///
  /// A transaction whose timestamp lies in the future, because a clock was wrong, keeps those behind it.
  public var maximumAge: TimeInterval?

  /// How many transactions may be kept; `nil` for no limit.
  public var maximumCount: Int?

  /// How many bytes of the store's file the history may take; `nil` for no limit.
  ///
  /// The size is an estimate from the numbers of the first and the last change and transaction, and from
  /// the values that the last changes keep. History that was deleted out of the middle is counted as if it
  /// were there.
  public var maximumSize: Int?

  /// Limits that are `nil` do not count.
  ///
  /// - Parameters:
  ///   - maximumAge: How old transactions may become, in seconds.
  ///   - maximumCount: How many transactions may be kept.
  ///   - maximumSize: How many bytes of the store's file the history may take.
  public init(
    maximumAge: TimeInterval? = nil, maximumCount: Int? = nil, maximumSize: Int? = nil
  ) {
    self.maximumAge = maximumAge
    self.maximumCount = maximumCount
    self.maximumSize = maximumSize
  }
}
