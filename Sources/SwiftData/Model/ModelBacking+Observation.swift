public import Observation

extension _ModelBacking {
  /// Tells observers that a property is being read.
  @inlinable
  public func access<M: PersistentModel, V>(
    _ model: M, keyPath: @autoclosure () -> KeyPath<M, V>
  ) {
    guard let object else { return }
    if let registrar = object.registrar {
      registrar.access(model, keyPath: keyPath())
    } else if ObservationProbe.isTracking() {
      let registrar = ObservationRegistrar()
      object.registrar = registrar
      registrar.access(model, keyPath: keyPath())
    }
  }

  /// Tells observers that a property changes while `mutation` runs.
  @inlinable
  public func withMutation<M: PersistentModel, V, R>(
    _ model: M, keyPath: @autoclosure () -> KeyPath<M, V>, _ mutation: () throws -> R
  ) rethrows -> R {
    guard let registrar = object?.registrar else { return try mutation() }
    return try registrar.withMutation(of: model, keyPath: keyPath(), mutation)
  }
}

/// Finds out whether somebody tracks observations on this thread, so that models nobody observes
/// need no registrar.
///
/// Observation has no question for it. A tracking scope retains the registrar of everything that is
/// accessed inside it, so accessing a probe of ours and looking at its reference count answers.
/// A scope that another thread has installed makes the answer a needless yes, never a wrong no.
@usableFromInline
enum ObservationProbe {
  private final class Subject: Observable, Sendable { let value = 0 }

  private static let subject = Subject()
  nonisolated(unsafe) private static let keyPath: KeyPath<Subject, Int> = \.value
  private static let registrar = ObservationRegistrar()

  /// The object behind the registrar, and its reference count while nobody tracks; nil where a
  /// registrar is not a single reference, and so can't be asked.
  private static let quiet: Quiet? = {
    guard MemoryLayout<ObservationRegistrar>.size == MemoryLayout<AnyObject>.size else {
      return nil
    }
    let object = Unmanaged.passUnretained(unsafeBitCast(registrar, to: AnyObject.self))
    return Quiet(object: object, count: count(object))
  }()

  private struct Quiet: @unchecked Sendable {
    let object: Unmanaged<AnyObject>
    let count: UInt
  }

  private static func count(_ object: Unmanaged<AnyObject>) -> UInt {
    object._withUnsafeGuaranteedRef { _getRetainCount($0) }
  }

  @usableFromInline
  static func isTracking() -> Bool {
    guard let quiet else { return true }
    registrar.access(subject, keyPath: keyPath)
    return count(quiet.object) > quiet.count
  }
}
