import Dispatch
public import Foundation

extension NotificationCenter {
  /// Adds an observer whose block runs on an operation queue.
  ///
  /// Foundation for Linux takes only the first thread of a process for that of the main queue. After
  /// its first suspension an `async` main runs on other threads, so a notification that is posted on the
  /// main actor, such as ``ModelContext/didSave``, would wait for the main queue, and the queue for the
  /// poster. Here the block runs at once if the poster is on the main queue; in all other cases
  /// Foundation's method does the work.
  /// - Parameters:
  ///   - name: The name of the notifications; `nil` for all.
  ///   - object: Who posts them; `nil` for anyone.
  ///   - queue: The queue on which the block runs, while the poster waits.
  ///   - block: Called with each notification.
  /// - Returns: The observer, for `removeObserver(_:)`.
  public func addObserver(
    forName name: Notification.Name?, object: Any?, queue: OperationQueue,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    let other: OperationQueue? = queue
    guard queue === OperationQueue.main else {
      return addObserver(forName: name, object: object, queue: other, using: block)
    }
    MainQueue.mark()
    return addObserver(forName: name, object: object, queue: nil) { notification in
      if MainQueue.isCurrent { return block(notification) }
      nonisolated(unsafe) let notification = notification
      let operation = BlockOperation { block(notification) }
      OperationQueue.main.addOperations([operation], waitUntilFinished: true)
    }
  }
}

/// Recognises the main queue on whichever thread it runs.
private enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()
  private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  static func mark() { _ = marked }

  static var isCurrent: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
  }
}
