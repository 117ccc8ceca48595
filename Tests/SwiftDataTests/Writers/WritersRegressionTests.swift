import OpenSwiftDataTestModels
import Testing

/// Programs that once left a store that breaks a rule.
@Suite(.databases) struct WritersRegressionTests {
  private func expectSoundness(
    _ steps: (WriterName, League.Move)..., undoes: Bool = false
  ) {
    let result = Writers.result(of: WritersProgram(steps), undoes: undoes)
    #expect(result.failure == nil)
  }

  /// Each change of what a model shows is announced to its observers.
  private func expectNotifications(_ steps: (WriterName, League.Move)...) {
    let result = Writers.result(of: WritersProgram(steps), watchesModels: true)
    #expect(result.failure == nil)
  }

  @Test func aSwapBesideADeletionIsShown() {
    expectNotifications(
      (.first, .insertLeague), (.first, .save), (.first, .swap(0, 15)), (.first, .delete(.fan, 5)),
      (.first, .save), (.first, .look))
  }

  @Test func valuesThatAnUpsertKeepsAreAnnounced() {
    expectNotifications(
      (.first, .insertLeague), (.first, .save), (.second, .upsert(0)), (.second, .save))
  }

  @Test func aListWithUnsavedMembersAnnouncesThoseOfOthers() {
    expectNotifications(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.sibling, .look),
      (.sibling, .link(.debts, .left, 11, 8)), (.sibling, .save), (.second, .grow(.debts, 3)),
      (.second, .grow(.players, 8)))
  }

  @Test func aDeletedMemberIsAnnounced() {
    expectNotifications(
      (.first, .insertLeague), (.first, .save), (.sibling, .look), (.first, .grow(.lessons, 15)),
      (.first, .attempt), (.sibling, .grow(.debts, 10)), (.sibling, .fetch(.team)),
      (.first, .delete(.lesson, 9)), (.first, .save), (.sibling, .save))
  }

  @Test func anOwnerThatTheWriterDidNotKnowIsAnnounced() {
    expectNotifications(
      (.first, .insertLeague), (.first, .save), (.sibling, .look),
      (.first, .replace(.members, .left, 15, 10)), (.sibling, .link(.members, .left, 2, 15)),
      (.first, .save), (.sibling, .save), (.first, .look))
  }

  @Test func modelsThatAreDeletedAnnounceThat() {
    expectNotifications(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.second, .delete(.crew, 8)),
      (.second, .save))
  }

  @Test func theTeacherOfALessonStays() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.first, .delete(.fan, 3)), (.first, .save))
  }

  @Test func aClubThatGotADebtMeanwhileStays() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look),
      (.first, .link(.debts, .left, 6, 4)), (.first, .save),
      (.second, .delete(.club, 14)), (.second, .save))
  }

  @Test func aNewDebtOfADeletedClubHasNone() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.second, .grow(.debts, 6)),
      (.first, .delete(.club, 14)), (.first, .save), (.second, .save))
  }

  @Test func aNewTabOfADeletedCrewHasNone() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.second, .grow(.tabs, 0)),
      (.first, .delete(.crew, 6)), (.first, .save), (.second, .save))
  }

  @Test func aNewPlayerOfADeletedTeamIsRefused() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.second, .grow(.players, 0)),
      (.first, .delete(.team, 0)), (.first, .save), (.second, .save))
  }

  @Test func aDeletedPlayerIsNobodysIdol() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look),
      (.second, .link(.idols, .left, 5, 0)), (.sibling, .look), (.sibling, .delete(.team, 4)),
      (.sibling, .save), (.second, .save))
  }

  @Test func aCrewHasThreeMembersAtMost() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.first, .grow(.members, 10)),
      (.second, .grow(.members, 6)), (.second, .save), (.first, .save))
  }

  @Test func aCrewKeepsItsLastMember() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look),
      (.second, .link(.members, .left, 3, 2)), (.first, .delete(.fan, 7)), (.first, .save),
      (.second, .save))
  }

  @Test func twoSwapsOfSeatsLeaveOneOwnerEach() {
    expectSoundness(
      (.first, .insertLeague), (.first, .grow(.players, 8)), (.first, .grow(.idols, 12)),
      (.first, .save), (.second, .look), (.second, .swap(6, 13)), (.first, .swap(9, 0)),
      (.first, .save), (.second, .save))
  }

  @Test func playersReadAfterTheirSeatsSwapThem() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.third, .look),
      (.second, .swap(13, 4)), (.second, .save), (.third, .fetch(.team)),
      (.third, .load(.players, .left, 0)), (.third, .swap(0, 3)), (.third, .save))
  }

  @Test func aSeatThatWasTakenMeanwhileIsLeftAsAWhole() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.first, .swap(11, 12)),
      (.first, .delete(.player, 2)), (.first, .save), (.second, .unlink(.seat, .right, 5, 0)),
      (.second, .save))
  }

  @Test func aDroppedLinkIsNamed() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .deleteAll(.player, 1)),
      (.first, .link(.seat, .right, 0, 13)), (.first, .attempt))
  }

  /// Its seat goes to a new model, which becomes the row of the seat.
  @Test func aDeletedPlayerKeepsItsValuesForAnUndo() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.first, .upsert(1)),
      (.first, .deleteAll(.player, 1)),
      (.first, .transaction([.edit(.lesson, 1, 1), .swap(10, 0)], commits: true)),
      (.first, .undo), (.first, .save), (.first, .look), undoes: true)
  }

  @Test func aTransactionThatFailsFreesItsModels() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.second, .grow(.teams, 6)),
      (
        .second,
        .transaction(
          [.replace(.debts, .left, 2, 12), .delete(.seat, 3), .grow(.lessons, 14), .upsert(3)],
          commits: false)
      ))
  }

  /// The refusal names the relationship, not only the row.
  @Test func aRequiredModelThatIsGoneIsNamedBesideADeletion() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look),
      (.second, .link(.players, .right, 3, 10)), (.sibling, .deleteAll(.club, 0)),
      (.second, .delete(.seat, 12)), (.second, .save))
  }

  @Test(.sqliteOnly("another process")) func anotherProcessIsAWriterToo() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.process, .look), (.process, .edit(.club, 0, 3)),
      (.process, .save), (.first, .look), (.process, .grow(.teams, 0)), (.first, .delete(.club, 0)),
      (.first, .save), (.process, .save))
  }

  @Test func aPlayerThatWasMovedStaysWhenItsOldClubGoes() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look),
      (.first, .link(.players, .right, 6, 13)), (.first, .save), (.second, .delete(.club, 0)),
      (.second, .save))
  }

  @Test func aFanThatWasMovedStaysInItsNewCrew() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.sibling, .look),
      (.second, .link(.members, .right, 1, 3)), (.sibling, .delete(.crew, 4)),
      (.second, .attempt), (.sibling, .save))
  }

  @Test func aFavouriteThatIsDeletedInTheSameSaveIsNone() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.first, .link(.favourite, .left, 4, 15)),
      (.first, .delete(.player, 3)), (.first, .save))
  }

  /// In another process, because it once crashed.
  @Test(.sqliteOnly("another process")) func aRefusedDeletionOfNewMembersIsUndone() {
    expectSoundness(
      (.process, .insertLeague), (.process, .save), (.process, .link(.members, .right, 15, 13)),
      (.process, .deleteAll(.fan, 1)), (.process, .save))
  }

  @Test func aFavouriteThatTheSameSaveTakesAlongIsNone() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.third, .look),
      (.third, .link(.seat, .left, 5, 10)), (.third, .delete(.team, 8)),
      (.third, .link(.favourite, .left, 7, 0)), (.third, .save))
  }

  @Test func aSaveAfterOneThatFailedForADeletedClubSucceeds() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.third, .look),
      (.second, .delete(.crew, 1)), (.second, .save), (.third, .link(.debts, .left, 14, 13)),
      (.third, .delete(.debt, 15)), (.first, .deleteAll(.club, 0)), (.third, .attempt),
      (.third, .link(.tabs, .left, 3, 2)), (.third, .save))
  }

  @Test func aPlayerWhoseSeatWasTakenAlongHasNone() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look), (.first, .delete(.player, 10)),
      (.second, .delete(.player, 4)), (.first, .save), (.second, .save),
      (.second, .link(.players, .left, 0, 3)), (.second, .save))
  }

  @Test func aNewTabStaysWithItsLastCrew() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.first, .grow(.tabs, 5)),
      (.first, .link(.tabs, .left, 10, 5)), (.first, .delete(.crew, 15)), (.first, .save))
  }

  @Test func aSeatThatBecameANewOneIsTakenByAWriterThatKnowsTheOldOne() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.sibling, .look), (.third, .look),
      (.sibling, .grow(.seat, 4)), (.third, .link(.seat, .left, 1, 4)),
      (.sibling, .recode(8, 0)), (.sibling, .save), (.third, .save))
  }

  @Test func anUndoRestoresALinkWhoseRowsAreGone() {
    expectSoundness(
      (.first, .insertLeague), (.first, .save), (.second, .look),
      (.second, .unlink(.idols, .right, 1, 3)), (.first, .undo), (.first, .save),
      (.second, .undo), undoes: true)
  }
}
