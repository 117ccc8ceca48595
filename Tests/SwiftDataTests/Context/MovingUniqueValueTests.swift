import Foundation
import SwiftData
import Testing

/// Unique values that move between rows in one save, where models name others that have no key yet.
@Suite(.databases) struct MovingUniqueValueTests {
  @Model final class Owner {
    @Attribute(.unique) var name: String

    init(_ name: String) { self.name = name }
  }

  /// Its row has to be looked up, because it has a to-one.
  @Model final class Item {
    @Attribute(.unique) var code: String
    var text: String
    var owner: Owner?

    init(_ code: String, _ text: String, owner: Owner? = nil) {
      self.code = code
      self.text = text
      self.owner = owner
    }
  }

  @Model final class Left {
    #Unique<Left>([\.name, \.right])
    var name: String
    var right: Right?

    init(_ name: String) { self.name = name }
  }

  @Model final class Right {
    #Unique<Right>([\.name, \.left])
    var name: String
    var left: Left?

    init(_ name: String) { self.name = name }
  }

  /// Only one account can have a card, also without the constraint.
  @Model final class Account {
    #Unique<Account>([\.card])
    var name: String
    @Relationship(inverse: \Card.account) var card: Card?

    init(_ name: String) { self.name = name }
  }

  @Model final class Card {
    var number: String
    var account: Account?

    init(_ number: String) { self.number = number }
  }

  /// Written in one statement if it had one constraint.
  @Model final class Twice {
    #Unique<Twice>([\.first], [\.second])
    var first: Int
    var second: Int
    var text: String

    init(_ first: Int, _ second: Int, _ text: String) {
      self.first = first
      self.second = second
      self.text = text
    }
  }

  /// One place per owner and number.
  @Model final class Place {
    #Unique<Place>([\.owner, \.number])
    var number: Int
    var text: String
    var owner: Owner?

    init(_ number: Int, _ text: String, owner: Owner?) {
      self.number = number
      self.text = text
      self.owner = owner
    }
  }

  /// One revision per number and parent.
  @Model final class Revision {
    #Unique<Revision>([\.parent, \.number])
    var number: Int
    var text: String
    var parent: Revision?

    init(_ number: Int, _ text: String = "", parent: Revision?) {
      self.number = number
      self.text = text
      self.parent = parent
    }
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Owner.self, Item.self, Left.self, Right.self, Place.self, Twice.self,
        Revision.self, Account.self, Card.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func items(_ context: ModelContext) throws -> [String] {
    try context.stored(Item.self).map { "\($0.code) \($0.text) \($0.owner?.name ?? "-")" }.sorted()
  }

  @Test func aNewModelTakesAValueThatAnotherGivesUp() throws {
    let context = try context()
    let old = Item("a", "old")
    context.insert(old)
    try context.save()
    old.code = "b"
    old.owner = Owner("new")
    context.insert(Item("a", "new"))
    try context.save()
    #expect(try items(context) == ["a new -", "b old new"])
  }

  @Test func aNewModelMeetsAValueThatAnotherTakes() throws {
    let context = try context()
    let old = Item("a", "old")
    context.insert(old)
    try context.save()
    old.code = "b"
    old.owner = Owner("new")
    context.insert(Item("b", "met"))
    try context.save()
    #expect(try items(context) == ["b met new"])
  }

  enum Side { case account, card }

  private func accounts(_ context: ModelContext) throws -> [String] {
    try context.stored(Account.self).map { account in
      if let card = account.card, card.account !== account { return "one-sided" }
      return "\(account.name) \(account.card?.number ?? "-")"
    }.sorted()
  }

  private func move(_ card: Card, to account: Account, _ side: Side) {
    switch side {
    case .account: account.card = card
    case .card: card.account = account
    }
  }

  @Test(arguments: [Side.account, .card], [false, true])
  func aUniqueLinkMovesToAnotherModel(_ side: Side, _ isStored: Bool) throws {
    let context = try context()
    let (old, new, card) = (Account("old"), Account("new"), Card("1"))
    old.card = card
    context.insert(old)
    if isStored { context.insert(new) }
    try context.save()
    context.insert(new)
    move(card, to: new, side)
    try context.save()
    #expect(try accounts(context) == ["new 1", "old -"])
    #expect(old.name == "old" && old.card == nil && card.account === new)
    #expect(old.persistentModelID != new.persistentModelID)
    move(card, to: old, side)
    try context.save()
    #expect(try accounts(context) == ["new -", "old 1"])
  }

  @Test func uniqueLinksMoveInAChain() throws {
    let context = try context()
    let accounts = (0..<4).map { Account("\($0)") }
    let cards = (0..<3).map { Card("\($0)") }
    for (account, card) in zip(accounts, cards) {
      account.card = card
      context.insert(account)
    }
    try context.save()
    for (account, card) in zip(accounts.dropFirst(), cards).reversed() { account.card = card }
    try context.save()
    #expect(try self.accounts(context) == ["0 -", "1 0", "2 1", "3 2"])
    (accounts[1].card, accounts[3].card) = (accounts[3].card, accounts[1].card)
    try context.save()
    #expect(try self.accounts(context) == ["0 -", "1 2", "2 1", "3 0"])
  }

  @Test func aUniqueLinkMovesBesideADeletion() throws {
    let context = try context()
    let (old, gone, new) = (Account("old"), Account("gone"), Account("new"))
    (old.card, gone.card) = (Card("1"), Card("2"))
    context.insert(old)
    context.insert(gone)
    try context.save()
    context.insert(new)
    new.card = old.card
    context.delete(gone)
    try context.save()
    #expect(try accounts(context) == ["new 1", "old -"])
  }

  @Test func eitherOfTwoConstraintsFindsTheRow() throws {
    let context = try context()
    context.insert(Twice(1, 1, "old"))
    try context.save()
    context.insert(Twice(2, 1, "by the second"))
    try context.save()
    context.insert(Twice(2, 3, "by the first"))
    try context.save()
    let stored = try context.stored(Twice.self)
    #expect(stored.map { [$0.first, $0.second] } == [[2, 3]])
    #expect(stored.first?.text == "by the first")
  }

  @Test func newModelsWhoseUniqueValuesNameEachOtherAreStored() throws {
    let context = try context()
    let (left, right) = (Left("l"), Right("r"))
    left.right = right
    right.left = left
    context.insert(left)
    context.insert(Item("a", "other"))
    try context.save()
    let stored = try #require(try context.stored(Left.self).first)
    #expect(stored.right?.name == "r")
    #expect(stored.right?.left === stored)
    #expect(try context.count(Left.self) == 1 && context.count(Right.self) == 1)
    #expect(left.persistentModelID == stored.persistentModelID)
    #expect(try items(context) == ["a other -"])
  }

  @Test func eachModelOfAChainOfNewModelsBecomesAStoredRow() throws {
    let context = try context()
    let root = Revision(0, parent: nil)
    context.insert(root)
    try context.save()
    for text in ["old", "new"] {
      var chain = [root]
      for number in 1...4 {
        chain.append(Revision(number, "\(text) \(number)", parent: chain[number - 1]))
      }
      // A model comes before the one that its unique value refers to.
      for revision in chain.dropFirst().reversed() { context.insert(revision) }
      try context.save()
    }
    let stored = try context.stored(Revision.self).sorted { $0.number < $1.number }
    #expect(stored.map(\.text) == ["", "new 1", "new 2", "new 3", "new 4"])
    #expect(stored.map { $0.parent?.number } == [nil, 0, 1, 2, 3])
  }

  @Test(.sqliteOnly("measures time"))
  func aChainOfNewModelsTakesTimeInProportionToItsLength() throws {
    try Growth.expectLinear(from: 500) { count in
      let context = try context()
      var last = Revision(0, parent: nil)
      for number in 1..<count {
        context.insert(last)
        last = Revision(number, parent: last)
      }
      context.insert(last)
      let seconds = try Growth.seconds { try context.save() }
      #expect(try context.count(Revision.self) == count)
      return seconds
    }
  }

  @Test(.sqliteOnly("counts statements"))
  func aUniqueValueThatNamesANewModelIsWrittenOnceItHasAKey() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(
      try recorder.container([Owner.self, Item.self, Left.self, Right.self, Place.self]))
    let old = Place(1, "old", owner: Owner("a"))
    context.insert(old)
    try context.save()
    old.owner = Owner("b")
    let statements = try recorder.during { try context.save() }
    #expect(try context.stored(Place.self).map { $0.owner?.name } == ["b"])
    #expect(
      statements.map(\.sql).filter { $0.hasPrefix(#"UPDATE "ZPLACE""#) }
        == [
          #"UPDATE "ZPLACE" SET "ZOWNER" = NULL WHERE "Z_PK" = ?1"#,
          #"UPDATE "ZPLACE" SET "ZOWNER" = ?1, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?2"#,
        ])
  }
}
