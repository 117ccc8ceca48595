import Foundation
import Observation
import OpenSwiftDataCRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Determines whether observations are tracked on this thread, so that models without observers
/// need no registrar.
///
/// Observation has no API for it. A tracking scope retains an internal object of each registrar
/// that is accessed inside it. So the probe accesses a registrar of its own and reads a reference
/// count.
/// 1. Each thread has a spare registrar for this, so that no other thread's scope changes its
///    count.
/// 2. If the scope tracks, the model that is being read takes the spare as its own registrar. So a
///    scope holds only registrars of its models, and what it keeps is released with them.
/// 3. At the first use the probe tries this in a scope of its own. If the count does not change
///    there, or the object is not found, the answer is always yes, and models create their
///    registrars when they are read.
@usableFromInline
package enum ObservationProbe {
  private final class Subject: Observable, Sendable { let value = 0 }

  /// The object that tracking retains.
  private enum Retained {
    case extent
    /// The first field of the extent.
    case field
    case unknown
  }

  /// A registrar that belongs to no model yet, with everything that a test for tracking needs.
  private final class Spare {
    let observers = _ModelStorage.Observers()
    private let registrar: ObservationRegistrar
    private let subject = ObservationProbe.subject
    private let keyPath = ObservationProbe.keyPath
    private let counter: Counter?
    var isSuspended = false

    init(_ retained: Retained) {
      registrar = observers.registrar
      counter = Counter(registrar, retained)
    }

    var isTracked: Bool {
      if isSuspended { return false }
      guard let counter else { return true }
      registrar.access(subject, keyPath: keyPath)
      return counter.isRaised
    }
  }

  /// An object that tracking retains, and its reference count without tracking.
  private struct Counter {
    private let object: Unmanaged<AnyObject>
    private let quiet: UInt

    /// - Parameter retained: An object that was found in a registrar before.
    init?(_ registrar: ObservationRegistrar, _ retained: Retained) {
      guard let address = Counter.address(of: retained, in: registrar) else { return nil }
      object = Unmanaged.fromOpaque(address)
      quiet = Counter.count(object)
    }

    /// The registrar is one reference to an object, the extent.
    static func address(
      of retained: Retained, in registrar: ObservationRegistrar
    ) -> UnsafeMutableRawPointer? {
      let extent = castIfSameSize(registrar, to: UnsafeMutableRawPointer.self)
      switch retained {
      case .extent: return extent
      case .field:
        // Only on platforms where this layout has been seen.
        #if os(Linux) || os(Android) || os(Windows)
          let header = 2 * MemoryLayout<Int>.size
          return extent?.load(fromByteOffset: header, as: UnsafeMutableRawPointer?.self)
        #else
          return nil
        #endif
      case .unknown: return nil
      }
    }

    /// The objects that mirrors show: the one that the registrar consists of, and the first field
    /// of that one. Empty if the registrar is not one reference.
    static func objectsInMirror(of registrar: ObservationRegistrar) -> [UnsafeMutableRawPointer] {
      guard let extent = firstObject(in: registrar),
        castIfSameSize(registrar, to: UnsafeMutableRawPointer.self) == address(of: extent)
      else { return [] }
      return [address(of: extent)] + (firstObject(in: extent).map { [address(of: $0)] } ?? [])
    }

    private static func firstObject(in value: Any) -> AnyObject? {
      guard let child = Mirror(reflecting: value).children.first?.value else { return nil }
      return type(of: child) is AnyObject.Type ? child as AnyObject : firstObject(in: child)
    }

    private static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
      Unmanaged.passUnretained(object).toOpaque()
    }

    var isRaised: Bool { Counter.count(object) > quiet }

    /// The word with the reference counts, which grows with each of them. Reading it costs a tenth of
    /// asking the runtime for the count.
    private static func count(_ object: Unmanaged<AnyObject>) -> UInt {
      openSwiftData_referenceCounts(object.toOpaque())
    }
  }

  private static let subject = Subject()
  // Safe: immutable, and a key path without captured values.
  nonisolated(unsafe) private static let keyPath: KeyPath<Subject, Int> = \.value

  /// Has the spare of a thread too, to release it at the end of the thread.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { spare in
      openSwiftData_threadState().pointee.probe = nil
      if let spare { Unmanaged<AnyObject>.fromOpaque(spare).release() }
    }
    return key
  }()

  @usableFromInline
  package static func isTracking() -> Bool {
    (known ?? makeSpare())._withUnsafeGuaranteedRef { $0.isTracked }
  }

  /// Whether observations are tracked on this thread, asked once in a while.
  static func isInScope() -> Bool {
    guard isTracking() else { return false }
    // The scope retains the spare now, so it would show tracking after the scope too.
    _ = takeObservers()
    return true
  }

  /// The spare registrar of this thread, if it has one.
  private static var known: Unmanaged<Spare>? {
    openSwiftData_threadState().pointee.probe.map { .fromOpaque($0) }
  }

  /// - Parameter spare: Retained by the thread.
  private static func setSpare(_ spare: Unmanaged<Spare>?) {
    openSwiftData_threadState().pointee.probe = spare?.toOpaque()
    pthread_setspecific(key, spare?.toOpaque())
  }

  /// Reads models without tracking: the observers of this thread's scope are not called for what
  /// `body` reads.
  static func withoutTracking<R>(_ body: () throws -> R) rethrows -> R {
    let spare = (known ?? makeSpare()).takeUnretainedValue()
    let wasSuspended = spare.isSuspended
    spare.isSuspended = true
    defer { spare.isSuspended = wasSuspended }
    return try body()
  }

  static var isSuspended: Bool {
    known?._withUnsafeGuaranteedRef { $0.isSuspended } ?? false
  }

  /// A registrar for a model that is being read: the one that the scope of this thread has already
  /// accessed, if there is a scope.
  static func takeObservers() -> _ModelStorage.Observers {
    guard let spare = known else { return _ModelStorage.Observers() }
    setSpare(nil)
    return spare.takeRetainedValue().observers
  }

  private static func makeSpare() -> Unmanaged<Spare> {
    let spare = Unmanaged.passRetained(Spare(retained))
    setSpare(spare)
    return spare
  }

  /// Whether reference counts show tracking, so that not each read counts as tracked.
  package static var isReliable: Bool { retained != .unknown }

  /// Runs `body` as if the probe could not find the object that tracking retains, to test that.
  package static func whileUnreliable<R>(_ body: () throws -> R) rethrows -> R {
    let earlier = known
    setSpare(.passRetained(Spare(.unknown)))
    defer {
      known?.release()
      setSpare(earlier)
    }
    return try body()
  }

  /// Determined on a separate thread: a scope inside a user's scope would pass its accesses to that
  /// one.
  private static let retained: Retained = {
    let found = Found()
    let done = NSCondition()
    Thread.detachNewThread {
      done.withLock { found.retained = detectRetainedObject() }
      done.signal()
    }
    return done.withLock {
      while found.retained == nil { done.wait() }
      return found.retained ?? .unknown
    }
  }()

  /// Guarded by the condition that the reader waits for.
  private final class Found: @unchecked Sendable { var retained: Retained? }

  private static func detectRetainedObject() -> Retained {
    let registrar = ObservationRegistrar()
    let objects = Counter.objectsInMirror(of: registrar)
    if objects.isEmpty { return .unknown }
    let candidates = [Retained.extent, .field].filter { retained in
      Counter.address(of: retained, in: registrar).map(objects.contains) ?? false
    }.compactMap { retained in
      Counter(registrar, retained).map { (retained, $0) }
    }
    var found = Retained.unknown
    withObservationTracking {
      registrar.access(subject, keyPath: keyPath)
      if let raised = candidates.first(where: \.1.isRaised) { found = raised.0 }
    } onChange: {
    }
    registrar.willSet(subject, keyPath: keyPath)  // ends the scope
    registrar.didSet(subject, keyPath: keyPath)
    return found
  }
}
