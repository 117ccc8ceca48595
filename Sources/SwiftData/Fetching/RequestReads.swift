/// What the predicate and the order of a request read of the models that relationships lead to, and
/// which values they ask for.
///
/// A store answers from its rows. An unsaved change of another model can make the answer wrong only
/// where it concerns a property that the request reads of that model.
package struct RequestReads {
  /// The properties that are read of the fetched models.
  package var ownSlots = SlotSet()
  /// Whether a part may read more than is told here. What SQL cannot answer from it is judged in memory.
  package var mayReadMore = false
  /// The ways to other models, each once.
  package var paths: [FollowedPath] = []
  /// Properties that have one value in all models of the answer.
  package var equalities: [RequiredValue] = []

  package init() {}
}

/// A way from the fetched models over relationships to others, and what is read there.
package struct FollowedPath {
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
  /// The class of the models at the end.
  package let destination: _ModelDescriptor
  /// The properties that are read there.
  package var reads: SlotSet

  package init(steps: [Step], destination: _ModelDescriptor, reads: SlotSet) {
    self.steps = steps
    self.destination = destination
    self.reads = reads
  }
}

/// A property and the value that a request wants of it.
package struct RequiredValue {
  package let slot: Int
  package let value: _SlotValue

  package init(slot: Int, value: _SlotValue) {
    self.slot = slot
    self.value = value
  }
}
