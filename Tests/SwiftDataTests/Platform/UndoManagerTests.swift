import Foundation
import SwiftData
import Testing

private final class Counter {
  var value = 0

  func set(_ new: Int, _ undo: UndoManager) {
    let old = value
    undo.registerUndo(withTarget: self) { $0.set(old, undo) }
    value = new
  }
}

@Suite struct UndoManagerTests {
  private let undo = UndoManager()
  private let counter = Counter()

  private func step(_ value: Int, name: String = "") {
    undo.beginUndoGrouping()
    counter.set(value, undo)
    if !name.isEmpty { undo.setActionName(name) }
    undo.endUndoGrouping()
  }

  @Test func groupsAreUndoneAndRedone() {
    step(1)
    step(2)
    undo.undo()
    #expect(counter.value == 1)
    undo.undo()
    #expect(counter.value == 0)
    #expect(!undo.canUndo)
    undo.redo()
    undo.redo()
    #expect(counter.value == 2)
    #expect(!undo.canRedo)
    undo.undo()
    #expect(counter.value == 1)
  }

  @Test func oneGroupIsUndoneAtOnceInReverse() {
    undo.beginUndoGrouping()
    counter.set(1, undo)
    undo.beginUndoGrouping()
    counter.set(2, undo)
    undo.endUndoGrouping()
    counter.set(3, undo)
    undo.endUndoGrouping()
    #expect(undo.undoCount == 1)
    undo.undo()
    #expect(counter.value == 0)
    undo.redo()
    #expect(counter.value == 3)
  }

  @Test func aChangeOpensAGroupUntilItIsUndone() {
    counter.set(1, undo)
    counter.set(2, undo)
    #expect(undo.groupingLevel == 1)
    undo.undo()
    #expect(counter.value == 0)
    #expect(undo.groupingLevel == 0)
  }

  @Test func withoutEventsEveryChangeIsAGroup() {
    undo.groupsByEvent = false
    counter.set(1, undo)
    counter.set(2, undo)
    undo.undo()
    #expect(counter.value == 1)
  }

  @Test func nestedGroupsAreUndoneInsideOfAnOpenOne() {
    undo.beginUndoGrouping()
    counter.set(1, undo)
    step(2)
    undo.undoNestedGroup()
    #expect(counter.value == 1)
    undo.endUndoGrouping()
    undo.undo()
    #expect(counter.value == 0)
  }

  @Test func aNewChangeForgetsWhatWasUndone() {
    step(1)
    undo.undo()
    #expect(undo.canRedo)
    step(5)
    #expect(!undo.canRedo)
  }

  @Test func emptyGroupsAreForgotten() {
    undo.beginUndoGrouping()
    undo.endUndoGrouping()
    undo.endUndoGrouping()
    #expect(!undo.canUndo)
  }

  @Test func registrationIsDisabledAsOftenAsItIsEnabled() {
    undo.disableUndoRegistration()
    undo.disableUndoRegistration()
    undo.enableUndoRegistration()
    step(1)
    #expect(!undo.isUndoRegistrationEnabled)
    #expect(!undo.canUndo)
    undo.enableUndoRegistration()
    step(2)
    #expect(undo.canUndo)
  }

  @Test func oldGroupsGiveWay() {
    undo.levelsOfUndo = 2
    for value in 1...4 { step(value) }
    undo.undo()
    undo.undo()
    undo.undo()
    #expect(counter.value == 2)
  }

  @Test func namesFollowTheirGroups() {
    step(1, name: "One")
    step(2, name: "Two")
    #expect(undo.undoMenuItemTitle == "Undo Two")
    undo.undo()
    #expect(undo.undoActionName == "One")
    #expect(undo.redoMenuItemTitle == "Redo Two")
    undo.redo()
    #expect(undo.undoActionName == "Two")
    #expect(undo.redoMenuItemTitle == "Redo")
  }

  @Test func changesOfATargetAreRemoved() {
    let other = Counter()
    undo.beginUndoGrouping()
    counter.set(1, undo)
    other.set(1, undo)
    undo.endUndoGrouping()
    undo.removeAllActions(withTarget: counter)
    undo.undo()
    #expect(counter.value == 1)
    #expect(other.value == 0)
    undo.removeAllActions()
    #expect(!undo.canRedo)
  }

  @Test func targetsAreNotKeptAlive() {
    weak var gone: Counter?
    do {
      let target = Counter()
      gone = target
      undo.beginUndoGrouping()
      target.set(1, undo)
      undo.endUndoGrouping()
    }
    #expect(gone == nil)
    undo.undo()
  }

  @Test func handlersKnowWhatTheyAreRunFor() {
    var seen: [String] = []
    func note(_ undo: UndoManager) {
      if undo.isUndoing { seen.append("undo") }
      if undo.isRedoing { seen.append("redo") }
      undo.registerUndo(withTarget: counter) { _ in note(undo) }
    }
    undo.registerUndo(withTarget: counter) { _ in note(undo) }
    undo.undo()
    undo.redo()
    undo.undo()
    #expect(seen == ["undo", "redo", "undo"])
  }

  @Test func observersAreNotifiedOfUndo() {
    nonisolated(unsafe) var names: [String] = []
    let watched: [Notification.Name] = [
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerDidRedoChange,
    ]
    let tokens = watched.map { name in
      NotificationCenter.default.addObserver(forName: name, object: undo, queue: nil) {
        names.append($0.name.rawValue)
      }
    }
    defer { tokens.forEach(NotificationCenter.default.removeObserver) }
    step(1)
    undo.undo()
    undo.redo()
    #expect(
      names == [
        "NSUndoManagerDidCloseUndoGroupNotification", "NSUndoManagerWillUndoChangeNotification",
        "NSUndoManagerDidUndoChangeNotification", "NSUndoManagerDidRedoChangeNotification",
      ])
  }
}
