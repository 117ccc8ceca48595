import Observation

/// Finds out whether observations are tracked on this thread, so that models without observers
/// need no registrar.
///
/// Observation has no question for it. A tracking scope retains what stands behind the registrar of
/// everything that is accessed inside it, so accessing a probe of ours and looking at a reference
/// count answers.
/// 1. On first use the probe tries this out in a scope of its own. Where the count does not tell,
///    the answer is always yes, and models make their registrars when they are read.
/// 2. A scope that another thread has installed makes the answer a needless yes, never a wrong no.
@usableFromInline
enum ObservationProbe {
  fileprivate final class Subject: Observable, Sendable { let value = 0 }

  /// Everything a question needs, behind one look at a global. Immutable once made.
  fileprivate final class Probe: @unchecked Sendable {
    let subject = Subject()
    let keyPath: KeyPath<Subject, Int> = \.value
    let registrar = ObservationRegistrar()
    private(set) var counter: Counter?

    init() { counter = findCounter() }
  }

  private static let probe = Probe()

  /// An object that tracking retains, and how often it is retained without tracking.
  fileprivate struct Counter {
    let object: Unmanaged<AnyObject>
    let quiet: UInt

    init(_ object: Unmanaged<AnyObject>) {
      self.object = object
      quiet = Counter.count(object)
    }

    var isRaised: Bool { Counter.count(object) > quiet }

    private static func count(_ object: Unmanaged<AnyObject>) -> UInt {
      object._withUnsafeGuaranteedRef { _getRetainCount($0) }
    }
  }

  @usableFromInline
  static func isTracking() -> Bool {
    probe.isTracking()
  }
}

extension ObservationProbe.Probe {
  fileprivate func isTracking() -> Bool {
    guard let counter else { return true }
    registrar.access(subject, keyPath: keyPath)
    return counter.isRaised
  }

  /// The registrar is one reference to an object whose first field is what tracking retains.
  private func findCounter() -> ObservationProbe.Counter? {
    guard MemoryLayout<ObservationRegistrar>.size == MemoryLayout<AnyObject>.size else {
      return nil
    }
    let extent = Unmanaged.passUnretained(unsafeBitCast(registrar, to: AnyObject.self))
    var candidates = [ObservationProbe.Counter(extent)]
    let header = 2 * MemoryLayout<Int>.size
    // Only where this layout has been seen.
    #if os(Linux) || os(Android) || os(Windows)
      if let field = extent.toOpaque().load(
        fromByteOffset: header, as: UnsafeMutableRawPointer?.self)
      {
        candidates.append(ObservationProbe.Counter(Unmanaged.fromOpaque(field)))
      }
    #endif
    var found: ObservationProbe.Counter?
    withObservationTracking {
      registrar.access(subject, keyPath: keyPath)
      found = candidates.first(where: \.isRaised)
    } onChange: {
    }
    registrar.willSet(subject, keyPath: keyPath)  // ends the scope
    registrar.didSet(subject, keyPath: keyPath)
    return found
  }
}
