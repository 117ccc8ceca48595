import SwiftData
import Testing

/// Programs that once disagreed with the oracle.
@Suite(.databases) struct OracleRegressionTests {
  private func expectAgreement(_ moves: Move...) {
    #expect(Oracle.failure(of: Program(moves)) == nil)
  }

  @Test func aNewModelThatNamesItselfIsDeletedBeforeItsFirstSave() {
    expectAgreement(.insert(.member), .link(.mentor, .left, 0, 0), .delete(0))
    expectAgreement(.insert(.member), .link(.mentor, .right, 0, 0), .save, .delete(0), .save)
  }

  @Test func ofTwoNewModelsWithOneValueTheLaterOneKeepsItsRelatedModel() {
    expectAgreement(.insertTree, .upsert(.badge, 13), .link(.badge, .right, 13, 15))
    expectAgreement(
      .insertTree, .save, .unlink(.badge, .left, 0, 0), .upsert(.badge, 0),
      .link(.badge, .right, 0, 0), .link(.badge, .right, 1, 1))
  }

  @Test func ofSeveralNewModelsThatBecomeOneRowTheEarlierLinkIsRemoved() {
    expectAgreement(
      .insertTree, .insert(.captain), .upsert(.badge, 3), .link(.badge, .left, 14, 7))
  }

  @Test func membersAreSetThroughADuplicateInstance() {
    let upsert: [Move] = [.insertTree, .insertTree, .save, .upsert(.team, 0), .save]
    for bits in 0..<16 {
      let program = Program(upsert + [.replaceByDuplicate(0, bits), .save])
      #expect(Oracle.failure(of: program) == nil)
    }
  }

  @Test func aNewModelThatADeletionTakesAlongBecomesNoRow() {
    expectAgreement(
      .insertTree, .insert(.captain), .insert(.club), .insert(.chore), .insert(.team), .save,
      .insert(.team), .upsert(.club, 11), .insert(.badge), .delete(7), .upsert(.badge, 0),
      .delete(11), .link(.badge, .right, 11, 0))
  }

  @Test func aBadgeThatIsGivenAwayStaysWhereItsMemberIsDeleted() {
    expectAgreement(
      .insertTree, .insert(.captain), .insert(.club), .insert(.chore), .insert(.team), .delete(7),
      .save, .insert(.team), .insert(.member), .link(.badge, .left, 7, 1), .delete(9))
    expectAgreement(
      .insertTree, .save, .insertTree, .link(.badge, .right, 3, 12),
      .replace(.badge, .right, 9, 4))
    expectAgreement(
      .insertTree, .save, .link(.badge, .left, 7, 13), .upsert(.badge, 3), .delete(2))
  }

  @Test func aModelRelatedToAnUpsertInTheSameSaveStaysTheInstance() {
    expectAgreement(
      .insert(.badge), .upsert(.badge, 0), .insert(.member), .link(.badge, .left, 0, 1), .save)
  }

  @Test func othersDeleteWhatIsToBeDeleted() {
    expectAgreement(
      .insertTree, .insert(.captain), .insert(.club), .insert(.chore), .insert(.member),
      .insertTree, .delete(14), .upsert(.badge, 9), .save, .delete(10), .deleteElsewhere(7))
    expectAgreement(
      .insertTree, .insert(.captain), .insert(.club), .insert(.chore), .save, .delete(14),
      .delete(0), .upsert(.badge, 5), .link(.badge, .left, 5, 6), .delete(11), .delete(7),
      .deleteElsewhere(14))
  }

  @Test func anUndoneMoveLeadsBackToATeamThatIsToBeDeleted() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try World.container(folder.store))
    let (old, new, member) = (World.Team(1, code: 1), World.Team(2, code: 2), World.Member(3))
    member.team = old
    context.insert(member)
    context.insert(new)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(old)
    context.processPendingChanges()
    member.team = new
    context.processPendingChanges()
    manager.undo()
    #expect(member.team === old)
    try context.save()
    #expect(member.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<World.Member>()) == 0)
  }
}
