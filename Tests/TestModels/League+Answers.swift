extension League {
  /// Everything that is stored, by number.
  package typealias Picture = [Int: Sight]

  /// How a model shows, in memory or in the file.
  package struct Sight: Codable, Equatable, Sendable {
    package var kind: Kind
    package var value: Int
    /// Sorted numbers of the partners by property; without those that lead nowhere.
    package var partners: [String: [Int]] = [:]

    package init(_ kind: Kind, value: Int) {
      self.kind = kind
      self.value = value
    }
  }

  /// What user code asked for before a save that went through.
  package struct Wish: Codable, Sendable {
    package enum Form: String, Codable, Sendable {
      case leadsTo, isEmpty, isWithout
      case hasValue
    }

    package var number: Int
    package var property: String
    package var form: Form
    /// The number of the partner, or the value.
    package var partner: Int
    /// Whether the model led to the partner when the save began, and neither was new or deleted there.
    package var ledToStored: Bool

    package init(
      number: Int, property: String, form: Form, partner: Int, ledToStored: Bool
    ) {
      self.number = number
      self.property = property
      self.form = form
      self.partner = partner
      self.ledToStored = ledToStored
    }
  }

  /// A property that user code has set since the last save; of a list, one member.
  package struct Touch: Codable, Sendable {
    package let number: Int
    package let property: String
    package let partner: Int

    package init(_ number: Int, _ property: String, partner: Int = 0) {
      self.number = number
      self.property = property
      self.partner = partner
    }
  }

  /// What a step came to.
  package struct Answer: Codable, Sendable {
    /// What a save or a deletion threw.
    package var error: String?
    /// Whether the error says that a rule is broken.
    package var isRefusal = false
    /// Whether nothing that was unsaved could break a rule, whatever other writers have done.
    package var isHarmless = false
    /// Whether unsaved changes were stored.
    package var hasSaved = false
    package var wishes: [Wish] = []
    package var touches: [Touch] = []
    /// The numbers of models that user code has deleted.
    package var deleted: [Int] = []
    /// The numbers of new models that the context still shows after the save.
    package var inserted: [Int] = []
    /// What the save says it left out, by number.
    package var discarded: [Int: [String]] = [:]
    /// What the context shows; nil while it has changes, and after other steps than `look`.
    package var picture: Picture?

    package init() {}
  }

  /// A step as it is sent to another process.
  package struct Request: Codable, Sendable {
    package let move: Move
    package let number: Int

    package init(_ move: Move, number: Int) {
      self.move = move
      self.number = number
    }
  }
}
