package import SwiftData

/// A text, for tests whose subject is something else than the model.
@Model package final class Note {
  package var text: String

  package init(_ text: String) { self.text = text }
}

/// A number, for tests with a second model beside the notes.
@Model package final class Tally {
  package var number: Int

  package init(_ number: Int) { self.number = number }
}
