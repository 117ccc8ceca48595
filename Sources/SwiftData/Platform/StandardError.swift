import Foundation

/// Standard error of the process. What cannot be written is dropped: a full volume, a closed descriptor or a
/// reader that has gone is no reason to stop the program.
package enum StandardError {
  /// - Parameter handle: Another file, in tests.
  package static func write(_ text: String, to handle: FileHandle = .standardError) {
    // `write(_:)` stops the program after a failure.
    withoutPipeSignal { try? handle.write(contentsOf: Data(text.utf8)) }
  }

  /// A pipe without a reader sends the thread `SIGPIPE`, which ends the process. It is taken before it arrives.
  private static func withoutPipeSignal(_ body: () -> Void) {
    #if os(Linux)
      var (pipe, pending, mask) = (sigset_t(), sigset_t(), sigset_t())
      sigemptyset(&pipe)
      sigaddset(&pipe, SIGPIPE)
      sigpending(&pending)
      guard sigismember(&pending, SIGPIPE) == 0, pthread_sigmask(SIG_BLOCK, &pipe, &mask) == 0
      else { return body() }
      defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
      body()
      var noTime = timespec()
      while sigtimedwait(&pipe, nil, &noTime) == -1, errno == EINTR {}
    #else
      body()
    #endif
  }
}
