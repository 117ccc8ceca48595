#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Frees the values of deinitialised models one after the other.
///
/// An unsaved model retains its related models. Freeing a long chain of them the usual way would
/// need one nested call per model and overflow the stack; here each of them leaves its values to
/// the first.
enum DeferredRelease {
  private final class Queue {
    var values: [ContiguousArray<_SlotValue>] = []
    var isWorking = false
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { queue in
      if let queue { Unmanaged<AnyObject>.fromOpaque(queue).release() }
    }
    return key
  }()

  private static func queue() -> Queue {
    if let known = pthread_getspecific(key) {
      return Unmanaged<Queue>.fromOpaque(known).takeUnretainedValue()
    }
    let made = Queue()
    pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
    return made
  }

  static func dispose(of values: consuming ContiguousArray<_SlotValue>) {
    let queue = queue()
    queue.values.append(values)
    if queue.isWorking { return }
    queue.isWorking = true
    while let next = queue.values.popLast() { _ = consume next }
    queue.isWorking = false
  }
}
