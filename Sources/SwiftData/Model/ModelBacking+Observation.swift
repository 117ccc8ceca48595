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
  final class Subject: Observable { let value = 0 }

  private static let subject = Subject()
  private static let keyPath: KeyPath<Subject, Int> = \.value
  nonisolated(unsafe) private static let probe = Probe()

  private struct Probe {
    let registrar = ObservationRegistrar()
    let isReadable = MemoryLayout<ObservationRegistrar>.size == MemoryLayout<AnyObject>.size
    let extent: Unmanaged<AnyObject>?
    let quietCount: UInt

    init() {
      guard isReadable else {
        extent = nil
        quietCount = 0
        return
      }
      let object = unsafeBitCast(registrar, to: AnyObject.self)
      extent = Unmanaged.passUnretained(object)
      quietCount = 0
    }
  }

  nonisolated(unsafe) private static let quiet: UInt = {
    probe.extent.map { _getRetainCount($0) } ?? 0
  }()

  private static func _getRetainCount(_ extent: Unmanaged<AnyObject>) -> UInt {
    extent._withUnsafeGuaranteedRef { Swift._getRetainCount($0) }
  }

  @usableFromInline
  static func isTracking() -> Bool {
    guard let extent = probe.extent else { return true }
    let quiet = quiet
    probe.registrar.access(subject, keyPath: keyPath)
    return _getRetainCount(extent) > quiet
  }
}
