import Foundation
import SwiftData

/// Models that become stored rows, with each shape of relationship.
enum Merging {
  @Model final class Folder {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []

    init(_ name: String, _ notes: [Note] = []) { (self.name, self.notes) = (name, notes) }
  }

  @Model final class Note {
    @Attribute(.unique) var code: String
    var text: String
    var folder: Folder?
    @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
    @Relationship(inverse: \Cover.note) var cover: Cover?
    var origin: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Line.note) var lines: [Line] = []

    init(_ code: String, _ text: String, in folder: Folder? = nil) {
      (self.code, self.text, self.folder) = (code, text, folder)
    }
  }

  @Model final class Line {
    var text: String
    var note: Note?

    init(_ text: String) { self.text = text }
  }

  @Model final class Tag {
    @Attribute(.unique) var name: String
    var notes: [Note] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Cover {
    var color: String
    var note: Note?

    init(_ color: String) { self.color = color }
  }

  /// Its notes do not know it.
  @Model final class Album {
    var name: String
    @Relationship(deleteRule: .cascade) var notes: [Note] = []

    init(_ name: String, _ notes: [Note] = []) { (self.name, self.notes) = (name, notes) }
  }

  @Model final class Box {
    var name: String
    @Relationship(inverse: \Slip.box) var slips: [Slip] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Slip {
    @Attribute(.unique) var code: String
    var box: Box

    init(_ code: String, _ box: Box) { (self.code, self.box) = (code, box) }
  }

  static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Folder.self, Tag.self, Cover.self, Album.self, Box.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }
}
