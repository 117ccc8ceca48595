import OpenSwiftDataNameClash
import SwiftData
import Testing

/// SwiftUI's names in the arguments of queries leave an app's own types of these names alone.
@Suite struct NameClashTests {
  private typealias Trip = Travel.Trip

  @MainActor
  private final class Payments {
    @Query(sort: \Trip.name, animation: .default) var animated: [Trip]
    @Query(sort: \.name, animation: .easeIn(duration: 1).delay(2)) var delayed: [Trip]
    @Query(transaction: .init(animation: .bouncy)) var inTransaction: [Trip]
    var payments = [Transaction(), Transaction(amount: 7)]
    var loading: Animation = Animation(frames: 3)
  }

  @MainActor @Test func unqualifiedNamesAreThoseOfTheOtherModule() {
    let payments = Payments()
    #expect(payments.payments.map(\.amount) == [0, 7])
    #expect(payments.loading.frames == 3)
    #expect(payments.animated.isEmpty && payments.delayed.isEmpty)
    #expect(payments.inTransaction.isEmpty)
  }
}
