// Types whose names SwiftUI has too, as in a module of an app that knows nothing of SwiftData.

/// A payment of an app.
public struct Transaction: Hashable, Sendable {
  /// The amount in cents.
  public var amount: Int

  /// Makes a payment of nothing.
  public init(amount: Int = 0) { self.amount = amount }
}

/// A moving picture of an app.
public struct Animation: Hashable, Sendable {
  /// The number of pictures.
  public var frames: Int

  /// Makes a picture that does not move.
  public init(frames: Int = 1) { self.frames = frames }
}
