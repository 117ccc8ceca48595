import SwiftData

/// Many-to-many relationships, one that cascades and one of a class with itself, beside a tree whose list
/// of children is nil at first.
enum ManyToManyShape {
  @Model final class Topic {
    var number: Int
    var value = 0
    @Relationship(inverse: \Word.topics) var words: [Word] = []
    @Relationship(inverse: \Topic.sources) var sequels: [Topic] = []
    var sources: [Topic] = []
    var parent: Topic?
    @Relationship(deleteRule: .cascade, inverse: \Topic.parent) var children: [Topic]?
    @Relationship(deleteRule: .cascade, inverse: \Word.owners) var owned: [Word] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Word {
    var number: Int
    var value = 0
    var topics: [Topic] = []
    var owners: [Topic] = []

    init(_ number: Int) { self.number = number }
  }

  static var shape: Shape {
    Shape(
      "many-to-manys",
      kinds: [.root(Topic.self) { Topic($0) }, .root(Word.self) { Word($0) }],
      bonds: [
        [.toMany("words", \Topic.words), .toMany("topics", \Word.topics)],
        [.toMany("sequels", \Topic.sequels), .toMany("sources", \Topic.sources)],
        [.optionalToMany("children", \Topic.children, .cascade), .toOne("parent", \Topic.parent)],
        [.toMany("owned", \Topic.owned, .cascade), .toMany("owners", \Word.owners)],
      ],
      questions: [
        .init(
          "word of value",
          { value in #Predicate<Topic> { $0.words.contains { $0.value == value } } }
        ) { reference, number, value in
          reference.related(number, "words").contains { reference.value($0) == value }
        },
        .init("number of sequels", { value in #Predicate<Topic> { $0.sequels.count == value } }) {
          $0.related($1, "sequels").count == $2
        },
        .init(
          "grandparent of value",
          { value in #Predicate<Topic> { $0.parent?.parent?.value == value } }
        ) { reference, number, value in
          reference.related(number, "parent").flatMap { reference.related($0, "parent") }
            .contains { reference.value($0) == value }
        },
        .init(
          "word of a topic with a sequel of value",
          { value in
            #Predicate<Word> { $0.topics.contains { $0.sequels.contains { $0.value == value } } }
          }
        ) { reference, number, value in
          reference.related(number, "topics").flatMap { reference.related($0, "sequels") }
            .contains { reference.value($0) == value }
        },
      ])
  }
}

extension ManyToManyShape.Topic: ShapeModel {}
extension ManyToManyShape.Word: ShapeModel {}
