import Foundation
import SwiftData

/// The models of the specification.
enum Specimens {
  /// A model without relationships.
  @Model final class Entry {
    var title: String
    var number: Int
    var rank: Int?
    var remark: String?
    var day: Date?
    var isMarked = false

    init(
      _ title: String, _ number: Int = 0, rank: Int? = nil, remark: String? = nil, day: Date? = nil
    ) {
      self.title = title
      self.number = number
      self.rank = rank
      self.remark = remark
      self.day = day
    }
  }

  /// Another model without relationships.
  @Model final class Memo {
    var text: String

    init(_ text: String) { self.text = text }
  }

  /// A model that no schema of the specification contains.
  @Model final class Stranger {
    var text: String

    init(_ text: String) { self.text = text }
  }
}
