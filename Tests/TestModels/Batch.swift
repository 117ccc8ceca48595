package import SwiftData

/// A batch of parcels with the number of members that it was saved with, so that a reader of the file
/// notices a save that is there in part. Saved by processes that tests kill or run beside themselves.
@Model package final class Batch {
  @Attribute(.unique) package var number: Int
  package var size: Int
  @Relationship(deleteRule: .cascade, inverse: \Parcel.batch) package var members: [Parcel] = []

  package init(number: Int, size: Int) {
    self.number = number
    self.size = size
  }
}

/// A member of a batch, or a row by itself.
@Model package final class Parcel {
  package var index: Int
  package var text = Parcel.text
  package var batch: Batch?

  package static let text = "Some text that fills the page"

  package init(index: Int) { self.index = index }
}
