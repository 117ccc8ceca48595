#if !canImport(ObjectiveC)
  public import Foundation

  /// Makes the stored form of values, and values of the stored form.
  ///
  /// Foundation has this class on Apple's platforms only. A subclass overrides the two methods that
  /// transform; it is registered under a name, or given by its type.
  open class ValueTransformer: NSObject {
    /// The registered transformer that this one stands for.
    private var target: ValueTransformer?

    /// Makes a transformer.
    public required override init() {
      super.init()
    }

    /// Makes a transformer that does what the one registered under a name does; `nil` if there is
    /// none.
    public convenience init?(forName name: NSValueTransformerName) {
      guard let target = ValueTransformer.registered(forName: name) else { return nil }
      self.init()
      self.target = target
    }

    /// The class of the transformed values; for information only.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` undoes `transformedValue(_:)`.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Makes the stored form of a value; the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? {
      target.map { $0.transformedValue(value) } ?? value
    }

    /// Makes the value of a stored form; the stored form itself unless overridden.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
      target.map { $0.reverseTransformedValue(value) } ?? value
    }
  }

  /// The name under which a value transformer is registered.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as text.
    public let rawValue: String

    /// Makes a name of a text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a name of a text.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    /// The transformer that makes objects of securely coded archives.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSSecureUnarchiveFromData")
  }
#endif
