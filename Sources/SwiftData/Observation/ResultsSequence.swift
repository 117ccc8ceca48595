import Foundation

// Async sequences of results and of history. Apple's framework has none of them.

extension ModelContext {
  /// The models that match, now and after each change.
  ///
  /// ```swift
  /// for await trips in context.results(of: FetchDescriptor<Trip>()) {
  ///   show(trips)
  /// }
  /// ```
  ///
  /// The first value comes immediately, later ones when other models match, their order changes, or
  /// they were edited; see ``ResultsObserver`` for the changes that are followed. A value may equal
  /// the previous one. A slow consumer gets only the newest value, and always the last one. The
  /// sequence ends when its task is cancelled or the container is closed, and immediately if the
  /// first fetch fails; then its iterator has the ``ResultsSequence/AsyncIterator/fetchError``.
  /// Iterate on the actor of the context.
  ///
  /// Not in Apple's framework.
  public func results<Element: PersistentModel>(
    of descriptor: FetchDescriptor<Element>
  ) -> ResultsSequence<Element> {
    ResultsSequence(context: self, descriptor: descriptor)
  }

  /// The models that match, now and after each change, with the difference from the previous value.
  ///
  /// ```swift
  /// for await change in context.changes(of: FetchDescriptor<Trip>()) {
  ///   send(try JSONEncoder().encode(change.difference))
  /// }
  /// ```
  ///
  /// Values come as those of ``results(of:)``; a skipped value is part of the next difference.
  ///
  /// Not in Apple's framework.
  public func changes<Element: PersistentModel>(
    of descriptor: FetchDescriptor<Element>
  ) -> ResultsChangeSequence<Element> {
    ResultsChangeSequence(context: self, descriptor: descriptor)
  }

  /// Committed transactions after a token: first those already stored, then new ones as they
  /// commit.
  ///
  /// ```swift
  /// for try await transactions in context.history(since: token) {
  ///   for transaction in transactions { apply(transaction.changes) }
  ///   token = transactions.last?.token
  /// }
  /// ```
  ///
  /// Each value has the transactions since the previous one, at most 100 of them, the oldest first;
  /// none is omitted or repeated. The sequence waits while there are none, and ends when its task
  /// is cancelled. It throws the errors of ``fetchHistory(_:)``.
  ///
  /// Not in Apple's framework.
  /// - Parameter token: `nil` for all transactions in the stores.
  public func history(since token: DefaultHistoryToken?) -> HistorySequence {
    HistorySequence(container: container, token: token)
  }
}

/// The models that match a request, now and after each change. Not in Apple's framework.
public struct ResultsSequence<Model: PersistentModel>: AsyncSequence {
  /// The models that match.
  public typealias Element = [Model]

  fileprivate let context: ModelContext
  fileprivate let descriptor: FetchDescriptor<Model>

  /// Starts to follow the request.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(answers: Answers(context, descriptor))
  }

  /// Waits for changes of the results.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var answers: Answers<Model>

    /// The error of the last fetch, if it failed.
    public var fetchError: (any Error)? { answers.fetchError }

    /// The models that match, at first and after each change; `nil` when the task is cancelled.
    public mutating func next() async -> [Model]? { await next(isolation: nil) }

    /// The models that match, at first and after each change; `nil` when the task is cancelled.
    ///
    /// - Throws: Never; `nil` is also returned if the first fetch fails, see ``fetchError``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> [Model]? {
      await answers.next(isolation: actor)?.elements
    }
  }
}

/// The models that match a request, with the differences between values. Not in Apple's framework.
public struct ResultsChangeSequence<Model: PersistentModel>: AsyncSequence {
  /// The models that match, and what has changed.
  public struct Element {
    /// The models that match now.
    public let models: [Model]
    /// The difference from the previous value; from an empty list for the first one.
    ///
    /// Models that were edited are updated, also those that a rollback restores. All models are, if very many
    /// were edited at once, or if another process may have edited any of them: at a save of it that can't be
    /// traced, and at the beginning of a transaction after it has saved, or on PostgreSQL.
    public let difference: ResultsDifference
  }

  fileprivate let context: ModelContext
  fileprivate let descriptor: FetchDescriptor<Model>

  /// Starts to follow the request.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(answers: Answers(context, descriptor))
  }

  /// Waits for changes of the results.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var answers: Answers<Model>
    /// The last value, by its identifiers at that time.
    private var shown: [PersistentIdentifier] = []

    fileprivate init(answers: Answers<Model>) { self.answers = answers }

    /// The error of the last fetch, if it failed.
    public var fetchError: (any Error)? { answers.fetchError }

    /// The next change; `nil` when the task is cancelled.
    public mutating func next() async -> ResultsChangeSequence.Element? {
      await next(isolation: nil)
    }

    /// The next change; `nil` when the task is cancelled.
    ///
    /// - Throws: Never; `nil` is also returned if the first fetch fails, see ``fetchError``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> ResultsChangeSequence.Element? {
      guard let (models, journal) = await answers.next(isolation: actor) else { return nil }
      let difference = journal.difference(from: shown, to: models)
      shown = difference.applying(to: shown) ?? models.map(\.persistentModelID)
      return ResultsChangeSequence.Element(models: models, difference: difference)
    }
  }
}

/// Waits for the results of a request, for sequences.
private struct Answers<Model: PersistentModel> {
  private(set) var fetchError: (any Error)?
  private let context: ModelContext
  private let descriptor: FetchDescriptor<Model>
  private var following: Following?

  private struct Following {
    let query: LiveQuery<Model>
    let signal: Signals.Registration
    var news: News
    var version: Int
  }

  init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) {
    self.context = context
    self.descriptor = descriptor
  }

  /// The next results, with the changes since the last ones; `nil` when the task is cancelled.
  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async -> (elements: [Model], journal: ResultsChangeLog)? {
    guard var current = following else { return begin(isolation: actor) }
    while !Task.isCancelled {
      current.query.catchUp()
      fetchError = current.query.error
      if current.query.version != current.version {
        current.version = current.query.version
        following = current
        return current.query.take()
      }
      if context.container.isClosed { break }
      guard await current.news.wait(isolation: actor) else { break }
    }
    following = nil
    return nil
  }

  private mutating func begin(
    isolation actor: isolated (any Actor)?
  ) -> (elements: [Model], journal: ResultsChangeLog)? {
    if fetchError != nil || Task.isCancelled { return nil }
    do {
      let query = try LiveQuery(
        descriptor, reportsEdits: true, in: context, isolation: actor
      ).checked()
      let news = News()
      let signal = query.addSignal(news.signal)
      query.catchUp()
      following = Following(query: query, signal: signal, news: news, version: query.version)
      return query.take()
    } catch {
      fetchError = error
      return nil
    }
  }
}

/// Lets a sequence wait until something may have happened. Several signals before a wait count as
/// one.
private struct News {
  /// May be called on any thread.
  let signal: @Sendable () -> Void
  private var signals: AsyncStream<Void>.Iterator

  init() {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    signals = stream.makeAsyncIterator()
    signal = { continuation.yield() }
  }

  /// - Returns: Whether there was a signal; false when the task is cancelled.
  mutating func wait(isolation actor: isolated (any Actor)?) async -> Bool {
    await signals.next(isolation: actor) != nil
  }
}

/// Committed transactions after a token, as they come. Not in Apple's framework.
public struct HistorySequence: AsyncSequence {
  /// The transactions after those of the previous value.
  public typealias Element = [DefaultHistoryTransaction]

  fileprivate let container: ModelContainer
  fileprivate let token: DefaultHistoryToken?

  private static func transactions(
    after token: DefaultHistoryToken
  ) -> Predicate<DefaultHistoryTransaction> {
    Predicate { transaction in
      PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_KeyPath(
          root: PredicateExpressions.build_Arg(transaction), keyPath: \.token),
        rhs: PredicateExpressions.build_Arg(token), op: .greaterThan)
    }
  }

  /// Starts at the token.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(container: container, token: token)
  }

  /// Waits for transactions.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let container: ModelContainer
    private var token: DefaultHistoryToken?
    private let observation: CommitObservation
    /// Keep the stores from pruning the transactions of the next value.
    private var holds: [any HistoryFollower] = []
    private var news = News()

    fileprivate init(container: ModelContainer, token: DefaultHistoryToken?) {
      self.container = container
      self.token = token
      observation = container.observeCommits(news.signal)
      hold()
    }

    private mutating func hold() {
      let all = HistoryFilter(entities: nil, authors: [])
      holds = container.coordinator.ports.compactMap { port in
        let position = token ?? DefaultHistoryToken([port.identifier: 0])
        return (try? port.historyFollower(after: position, all)) ?? nil
      }
    }

    /// The next transactions; `nil` when the task is cancelled.
    ///
    /// - Throws: The errors of ``ModelContext/fetchHistory(_:)``.
    public mutating func next() async throws -> [DefaultHistoryTransaction]? {
      try await next(isolation: nil)
    }

    /// The next transactions; `nil` when the task is cancelled.
    ///
    /// - Throws: The errors of ``ModelContext/fetchHistory(_:)``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> [DefaultHistoryTransaction]? {
      while !Task.isCancelled {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.predicate = token.map(HistorySequence.transactions(after:))
        descriptor.fetchLimit = 100
        let found = try ModelContext(container).fetchHistory(descriptor)
        if let last = found.last {
          token = last.token
          hold()
          return found
        }
        guard await news.wait(isolation: actor) else { break }
      }
      return nil
    }
  }
}
