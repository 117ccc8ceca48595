#if !canImport(ObjectiveC)
  public import Foundation

  /// Converts values to their stored form and back.
  ///
  /// Foundation has this class only on Apple's platforms. A subclass overrides
  /// `transformedValue(_:)` and `reverseTransformedValue(_:)`. It is registered under a name, or
  /// given by its type.
  open class ValueTransformer: NSObject {
    /// The registered transformer to which this one forwards.
    private var target: ValueTransformer?

    /// Makes a transformer.
    public required override init() {
      super.init()
    }

    /// Makes a transformer that forwards to a registered one; `nil` if the name is not registered.
    public convenience init?(forName name: NSValueTransformerName) {
      guard let target = ValueTransformer.registered(forName: name) else { return nil }
      self.init()
      self.target = target
    }

    /// The class of the transformed values; informative only.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` reverses `transformedValue(_:)`.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Converts a value to its stored form; returns the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? {
      target.map { $0.transformedValue(value) } ?? value
    }

    /// Converts a stored form to its value; returns the stored form itself unless overridden.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
      target.map { $0.reverseTransformedValue(value) } ?? value
    }
  }

  /// The name under which a value transformer is registered.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String

    /// Makes a name from a string.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a name from a string.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    /// The name of the transformer that decodes securely coded archives.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSSecureUnarchiveFromData")
  }
#endif
