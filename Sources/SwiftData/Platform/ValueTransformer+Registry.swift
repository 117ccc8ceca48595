import Foundation
import Synchronization

#if !canImport(ObjectiveC)
  extension ValueTransformer {
    /// Registers a transformer under a name in place of an earlier one; nil removes that.
    public class func setValueTransformer(
      _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
      let entry = Registered(transformer: transformer)
      registry.withLock { $0[name.rawValue] = entry.transformer == nil ? nil : entry }
    }

    /// The names of the registered transformers, in alphabetical order.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registry.withLock { $0.keys.sorted() }.map(NSValueTransformerName.init(_:))
    }

    /// The transformer registered under a name.
    package class func registered(forName name: NSValueTransformerName) -> ValueTransformer? {
      if let transformer = registry.withLock({ $0[name.rawValue] })?.transformer {
        return transformer
      }
      guard name == .secureUnarchiveFromDataTransformerName else { return nil }
      return NSSecureUnarchiveFromDataTransformer()
    }

    /// All threads share transformers, as on Apple's platforms.
    private struct Registered: @unchecked Sendable {
      var transformer: ValueTransformer?
    }

    private static let registry = Mutex<[String: Registered]>([:])
  }
#endif

extension ValueTransformer {
  /// The name of a transformer type; registers an instance if none is registered.
  package static func name(registering type: ValueTransformer.Type) -> String {
    #if canImport(ObjectiveC)
      let name = NSStringFromClass(type)
      if ValueTransformer(forName: NSValueTransformerName(name)) == nil {
        setValueTransformer(type.init(), forName: NSValueTransformerName(name))
      }
    #else
      let name = String(reflecting: type)
      if registered(forName: NSValueTransformerName(name)) == nil {
        setValueTransformer(type.init(), forName: NSValueTransformerName(name))
      }
    #endif
    return name
  }

  /// The transformer registered under a name.
  package static func named(_ name: String) -> ValueTransformer? {
    #if canImport(ObjectiveC)
      ValueTransformer(forName: NSValueTransformerName(name))
    #else
      registered(forName: NSValueTransformerName(name))
    #endif
  }
}
