#if canImport(SwiftUI)
  public import SwiftUI

  /// SwiftUI's transaction.
  public typealias Transaction = SwiftUI.Transaction
#else
  /// What SwiftUI says of a change of views, so that code with queries compiles here too. It does nothing.
  ///
  /// A class of a program's own with this name is found first; where it comes from another module, write that
  /// module's name before it.
  public struct Transaction: Sendable {
    /// How the change is shown.
    public var animation: Animation?

    /// Whether views are kept from animating the change.
    public var disablesAnimations = false

    /// Whether the change is one of a gesture that goes on.
    public var isContinuous = false

    /// Makes a transaction without animation.
    public init() {}

    /// Makes a transaction with an animation.
    public init(animation: Animation?) { self.animation = animation }
  }
#endif
