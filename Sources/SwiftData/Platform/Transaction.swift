#if canImport(SwiftUI)
  public import SwiftUI

  extension _SwiftData_SwiftUI {
    /// SwiftUI's transaction.
    public typealias Transaction = SwiftUI.Transaction
  }
#else
  extension _SwiftData_SwiftUI {
    /// A stand-in for SwiftUI's `Transaction`, so that code with queries compiles on Linux. It has no
    /// effect.
    public struct Transaction: Sendable {
      /// The animation of the change.
      public var animation: Animation?

      /// Whether views do not animate the change.
      public var disablesAnimations = false

      /// Whether the change belongs to a continuing gesture.
      public var isContinuous = false

      /// Makes a transaction without animation.
      public init() {}

      /// Makes a transaction with an animation.
      public init(animation: Animation?) { self.animation = animation }
    }
  }
#endif
