#if canImport(SwiftUI)
  public import SwiftUI

  extension _SwiftData_SwiftUI {
    /// SwiftUI's animation.
    public typealias Animation = SwiftUI.Animation
  }
#else
  extension _SwiftData_SwiftUI {
    /// A stand-in for SwiftUI's `Animation`, so that code with queries compiles on Linux. It has no
    /// effect.
    ///
    /// ```swift
    /// @Query(sort: \Trip.start, animation: .default) var trips: [Trip]
    /// ```
    ///
    /// It has no values, and all animations are equal.
    public struct Animation: Hashable, Sendable {
      private init() {}

      /// The default animation.
      public static let `default` = Animation()

      /// An animation of constant speed.
      public static let linear = Animation()

      /// An animation that begins slowly.
      public static let easeIn = Animation()

      /// An animation that ends slowly.
      public static let easeOut = Animation()

      /// An animation that begins and ends slowly.
      public static let easeInOut = Animation()

      /// A spring animation.
      public static let spring = Animation()

      /// A spring animation that follows a gesture.
      public static let interactiveSpring = Animation()

      /// A spring animation that is added to others.
      public static let interpolatingSpring = Animation()

      /// A spring animation without bounce.
      public static let smooth = Animation()

      /// A spring animation with little bounce.
      public static let snappy = Animation()

      /// A spring animation with much bounce.
      public static let bouncy = Animation()

      /// An animation of constant speed.
      public static func linear(duration: Double) -> Animation { linear }

      /// An animation that begins slowly.
      public static func easeIn(duration: Double) -> Animation { easeIn }

      /// An animation that ends slowly.
      public static func easeOut(duration: Double) -> Animation { easeOut }

      /// An animation that begins and ends slowly.
      public static func easeInOut(duration: Double) -> Animation { easeInOut }

      /// An animation whose speed follows a Bézier curve.
      public static func timingCurve(
        _ p1x: Double, _ p1y: Double, _ p2x: Double, _ p2y: Double, duration: Double = 0.35
      ) -> Animation { `default` }

      /// A spring animation.
      public static func spring(
        duration: Double = 0.5, bounce: Double = 0, blendDuration: Double = 0
      ) -> Animation { spring }

      /// A spring animation.
      @_disfavoredOverload
      public static func spring(
        response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: Double = 0
      ) -> Animation { spring }

      /// A spring animation that follows a gesture.
      public static func interactiveSpring(
        response: Double = 0.15, dampingFraction: Double = 0.86, blendDuration: Double = 0.25
      ) -> Animation { interactiveSpring }

      /// A spring animation that is added to others.
      public static func interpolatingSpring(
        mass: Double = 1, stiffness: Double, damping: Double, initialVelocity: Double = 0
      ) -> Animation { interpolatingSpring }

      /// A spring animation without bounce.
      public static func smooth(duration: Double = 0.5, extraBounce: Double = 0) -> Animation {
        smooth
      }

      /// A spring animation with little bounce.
      public static func snappy(duration: Double = 0.5, extraBounce: Double = 0) -> Animation {
        snappy
      }

      /// A spring animation with much bounce.
      public static func bouncy(duration: Double = 0.5, extraBounce: Double = 0) -> Animation {
        bouncy
      }

      /// The animation with a delay.
      public func delay(_ delay: Double) -> Animation { self }

      /// The animation at another speed.
      public func speed(_ speed: Double) -> Animation { self }

      /// The animation, repeated a number of times.
      public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Animation { self }

      /// The animation, repeated without end.
      public func repeatForever(autoreverses: Bool = true) -> Animation { self }
    }
  }
#endif
