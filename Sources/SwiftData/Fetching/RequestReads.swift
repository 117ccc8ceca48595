import Foundation

/// A condition of a predicate, evaluated with the values of the predicate's variables.
package typealias PredicateCondition = (PredicateBindings) throws -> Bool

/// What the predicate and the order of a request read from related models, and which values they
/// require.
///
/// A store answers from its rows. An unsaved change of a related model can make the answer wrong
/// only if it changes a property that the request reads from that model.
package struct RequestReads {
  /// The properties that the request reads from the fetched models.
  package var ownSlots = SlotSet()
  /// Whether the request may read more than is listed here. A part of it that SQL cannot express is
  /// evaluated in memory.
  package var mayReadMore = false
  /// The relationships that the request reads, with the classes that have them.
  package var relationships: Set<RelationshipPath.Step> = []
  /// The paths to related models, one for each class at the end of the same steps.
  package var paths: [RelationshipPath] = []
  /// Properties for which the request requires one value.
  package var equalities: [RequiredValue] = []
  /// The predicate as conditions that must all be true, where one of them looks for a value in a long captured list: it
  /// hashes the list once. Made when it is called; `nil` for any other predicate.
  package var hashedConditions: (() -> [PredicateCondition])?

  package init() {}
}

/// A path of relationships from the fetched models to related models, and what is read from these.
package struct RelationshipPath {
  /// One relationship.
  package struct Step: Hashable {
    package let owner: _ModelDescriptor
    package let slot: Int

    package init(owner: _ModelDescriptor, slot: Int) {
      self.owner = owner
      self.slot = slot
    }

    package static func == (left: Step, right: Step) -> Bool {
      left.owner === right.owner && left.slot == right.slot
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(owner))
      hasher.combine(slot)
    }
  }

  package let steps: [Step]
  /// The class of the models at the end of the path.
  package let destination: _ModelDescriptor
  /// The properties that are read from them.
  package var reads: SlotSet

  package init(steps: [Step], destination: _ModelDescriptor, reads: SlotSet) {
    self.steps = steps
    self.destination = destination
    self.reads = reads
  }
}

/// A property and the value that a request requires of it.
package struct RequiredValue {
  package let slot: Int
  package let value: _SlotValue

  package init(slot: Int, value: _SlotValue) {
    self.slot = slot
    self.value = value
  }
}
