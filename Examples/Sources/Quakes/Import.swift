import Foundation
import SwiftData

/// Inserts the feed's earthquakes and saves in batches, showing how far it is.
///
/// An earthquake whose code the store has already replaces the values of the one that is there.
func importFeed(_ feed: Feed, as title: String, into context: ModelContext) throws {
  let batchSize = 500
  let start = Date()
  for first in stride(from: 0, to: feed.features.count, by: batchSize) {
    let end = min(first + batchSize, feed.features.count)
    for feature in feed.features[first..<end] {
      context.insert(Quake(feature))
    }
    try context.save()
    let bar = String(repeating: "█", count: end * 30 / feed.features.count)
    show("\r\(title) \(bar.padding(toLength: 30, withPad: "·", startingAt: 0)) \(end)")
  }
  let seconds = Date().timeIntervalSince(start)
  print(" in", seconds.formatted(.number.precision(.fractionLength(2))), "s")
}

private func show(_ text: String) {
  print(text, terminator: "")
  // What has no line end would otherwise wait in the buffer.
  fflush(nil)
}
