import Foundation

// Async sequences of results and of history. Everything in this file is ours: Apple's framework has none.

extension ModelContext {
  /// The models that match, now and after each change.
  ///
  /// ```swift
  /// for await trips in context.results(of: FetchDescriptor<Trip>()) {
  ///   show(trips)
  /// }
  /// ```
  ///
  /// The first value comes at once, later ones when the models that match are others, stand in another
  /// order, or were edited; see ``ResultsObserver`` for what is followed. A value may be as the one before. Whoever is
  /// slow gets the newest value only, and always the last one. The sequence ends when its task is cancelled, and at once where the first fetch fails; its iterator
  /// has the ``ResultsSequence/AsyncIterator/fetchError`` then. Iterate on the actor of the context.
  ///
  /// Not in Apple's framework.
  public func results<Element: PersistentModel>(
    of descriptor: FetchDescriptor<Element>
  ) -> ResultsSequence<Element> {
    ResultsSequence(context: self, descriptor: descriptor)
  }

  /// The models that match, now and after each change, with what leads from one value to the next.
  ///
  /// ```swift
  /// for await change in context.changes(of: FetchDescriptor<Trip>()) {
  ///   send(try JSONEncoder().encode(change.difference))
  /// }
  /// ```
  ///
  /// Values come as those of ``results(of:)``; a value that is skipped is part of the next difference.
  ///
  /// Not in Apple's framework.
  public func changes<Element: PersistentModel>(
    of descriptor: FetchDescriptor<Element>
  ) -> ResultsChanges<Element> {
    ResultsChanges(context: self, descriptor: descriptor)
  }

  /// The transactions behind a token as they come, those that are there first.
  ///
  /// ```swift
  /// for try await transactions in context.history(since: token) {
  ///   for transaction in transactions { apply(transaction.changes) }
  ///   token = transactions.last?.token
  /// }
  /// ```
  ///
  /// Each value has the transactions since the last one, at most 100 of them, the oldest first; none is left out and
  /// none comes twice. It waits where there are none, and ends when its task is cancelled. It throws what
  /// ``fetchHistory(_:)`` throws.
  ///
  /// Not in Apple's framework.
  /// - Parameter token: `nil` for all transactions that the stores have.
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

  /// Begins to follow the request.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(answers: Answers(context, descriptor))
  }

  /// Waits for changes of the answer.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var answers: Answers<Model>

    /// The error of the last fetch, if it failed.
    public var fetchError: (any Error)? { answers.fetchError }

    /// The models that match, once they have changed; `nil` when the task is cancelled.
    public mutating func next() async -> [Model]? { await next(isolation: nil) }

    /// The models that match, once they have changed; `nil` when the task is cancelled.
    ///
    /// - Throws: Never; see ``fetchError``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> [Model]? {
      await answers.next(isolation: actor)?.elements
    }
  }
}

/// What a change of the data makes of a list of results. Not in Apple's framework.
public struct ResultsChange<Model: PersistentModel> {
  /// The models that match now.
  public let models: [Model]
  /// What leads to them from the value before; from nothing for the first value.
  ///
  /// Models that were edited are updated. All are, where very many were edited at once or a context was rolled back.
  public let difference: ResultsDifference
}

/// The models that match a request with what leads from one value to the next. Not in Apple's framework.
public struct ResultsChanges<Model: PersistentModel>: AsyncSequence {
  /// The models that match, and what has changed.
  public typealias Element = ResultsChange<Model>

  fileprivate let context: ModelContext
  fileprivate let descriptor: FetchDescriptor<Model>

  /// Begins to follow the request.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(answers: Answers(context, descriptor))
  }

  /// Waits for changes of the answer.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var answers: Answers<Model>
    /// The last value, by the identifiers of its time.
    private var shown: [PersistentIdentifier] = []

    fileprivate init(answers: Answers<Model>) { self.answers = answers }

    /// The error of the last fetch, if it failed.
    public var fetchError: (any Error)? { answers.fetchError }

    /// The next change; `nil` when the task is cancelled.
    public mutating func next() async -> ResultsChange<Model>? { await next(isolation: nil) }

    /// The next change; `nil` when the task is cancelled.
    ///
    /// - Throws: Never; see ``fetchError``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> ResultsChange<Model>? {
      guard let (models, journal) = await answers.next(isolation: actor) else { return nil }
      let difference = journal.difference(from: shown, to: models)
      shown = difference.applying(to: shown) ?? models.map(\.persistentModelID)
      return ResultsChange(models: models, difference: difference)
    }
  }
}

/// Waits for the answers of a request, for sequences.
private struct Answers<Model: PersistentModel> {
  private(set) var fetchError: (any Error)?
  private let context: ModelContext
  private let descriptor: FetchDescriptor<Model>
  private var following: Following?

  private struct Following {
    let query: LiveQuery<Model>
    let signal: Signals.Registration
    var waiting: AsyncStream<Void>.Iterator
    var version: Int
  }

  init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) {
    self.context = context
    self.descriptor = descriptor
  }

  /// The next answer, with what has happened since the last one; `nil` when the task is cancelled.
  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async -> (elements: [Model], journal: AnswerJournal)? {
    guard var current = following else { return begin(isolation: actor) }
    while !Task.isCancelled {
      current.query.catchUp()
      fetchError = current.query.error
      if current.query.version != current.version {
        current.version = current.query.version
        following = current
        return current.query.take()
      }
      guard await current.waiting.next(isolation: actor) != nil else { break }
    }
    following = nil
    return nil
  }

  private mutating func begin(
    isolation actor: isolated (any Actor)?
  ) -> (elements: [Model], journal: AnswerJournal)? {
    if fetchError != nil || Task.isCancelled { return nil }
    do {
      let query = try LiveQuery(
        descriptor, tellsOfEdits: true, in: context, isolation: actor
      ).checked()
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let signal = query.addSignal { continuation.yield() }
      query.catchUp()
      following = Following(
        query: query, signal: signal, waiting: stream.makeAsyncIterator(), version: query.version)
      return query.take()
    } catch {
      fetchError = error
      return nil
    }
  }
}

/// The transactions behind a token as they come. Not in Apple's framework.
public struct HistorySequence: AsyncSequence {
  /// Transactions that follow those of the value before.
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

  /// Begins at the token.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(container: container, token: token)
  }

  /// Waits for transactions.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let container: ModelContainer
    private var token: DefaultHistoryToken?
    private let signals: CommitSignals.Observation
    /// Keep the stores from pruning what the next value begins with.
    private var holds: [any HistoryFollower] = []
    private var waiting: AsyncStream<Void>.Iterator

    fileprivate init(container: ModelContainer, token: DefaultHistoryToken?) {
      self.container = container
      self.token = token
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      waiting = stream.makeAsyncIterator()
      signals = CommitSignals.observe(container) { continuation.yield() }
      hold()
    }

    private mutating func hold() {
      let all = HistoryInterest(entities: nil, authors: [])
      holds = container.coordinator.ports.compactMap { port in
        let place = token ?? DefaultHistoryToken([port.identifier: 0])
        return (try? port.historyFollower(after: place, all)) ?? nil
      }
    }

    /// The next transactions; `nil` when the task is cancelled.
    ///
    /// - Throws: What ``ModelContext/fetchHistory(_:)`` throws.
    public mutating func next() async throws -> [DefaultHistoryTransaction]? {
      try await next(isolation: nil)
    }

    /// The next transactions; `nil` when the task is cancelled.
    ///
    /// - Throws: What ``ModelContext/fetchHistory(_:)`` throws.
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
        guard await waiting.next(isolation: actor) != nil else { break }
      }
      return nil
    }
  }
}
