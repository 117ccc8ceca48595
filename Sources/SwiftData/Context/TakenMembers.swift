/// What lists without an inverse gained in an event, and which other lists lost these members: an undo of the
/// event gives them back.
///
/// The loss follows the event, when a save leaves a member to the owner that gained it last. `UndoRecorder` notes it
/// in the step of the event that moved the member on from the owner that lost it, which the manager already has.
final class TakenMembers {
  struct Loss {
    let gain: MemberGain
    let member: any PersistentModel
    /// The owner that lost the member.
    let owner: any PersistentModel
  }

  let gains: [MemberGain]
  private(set) var losses: [Loss] = []

  init(_ gains: [MemberGain]) { self.gains = gains }

  /// The last gain of the event for which a save took a member from a list.
  func gain(
    causing taking: SaveConsequences.Taking, from loser: _ModelDescriptor
  ) -> MemberGain? {
    gains.last { $0.causes(taking, from: loser) }
  }

  /// Whether the list that lost the member gained it in the event.
  func hasGain(of taking: SaveConsequences.Taking) -> Bool {
    gains.contains { $0.isLost(by: taking) }
  }

  func note(_ loss: Loss) { losses.append(loss) }
}
