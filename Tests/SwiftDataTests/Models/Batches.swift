import SwiftData

/// A batch that says how many members it was saved with.
@Model final class Batch {
  @Attribute(.unique) var number: Int
  var size: Int
  @Relationship(deleteRule: .cascade, inverse: \Parcel.batch) var members: [Parcel] = []

  init(number: Int, size: Int) {
    self.number = number
    self.size = size
  }
}

@Model final class Parcel {
  var index: Int
  var text = Parcel.text
  var batch: Batch?

  static let text = "Some text that fills the page"

  init(index: Int) { self.index = index }
}
