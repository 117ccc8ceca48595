import Foundation
import SwiftData

@Model
final class Note {
  var text: String
  var isDone = false
  var created: Date

  init(_ text: String, created: Date = .now) {
    self.text = text
    self.created = created
  }
}

/// The models of both sides.
let schema = Schema([Note.self])
