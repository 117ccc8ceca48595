import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// Errors of document stores have the reasons of other stores, and messages that are safe to show.
@Suite struct ReasonTests {
  @Model
  final class Member {
    @Attribute(.unique) var email: String
    @Relationship(deleteRule: .deny, inverse: \Loan.member) var loans: [Loan] = []

    init(email: String) { self.email = email }
  }

  @Model
  final class Loan {
    var title: String
    var member: Member?

    init(title: String) { self.title = title }
  }

  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Member.self, Loan.self, configurations: JSONStoreConfiguration(url: url))
  }

  private func failure(_ body: () throws -> Void) throws -> DocumentStoreError {
    var found: DocumentStoreError?
    do { try body() } catch { found = error as? DocumentStoreError }
    let error = try #require(found)
    #expect(error.publicMessage.hasSuffix(".") && !error.publicMessage.contains("/"))
    #expect(!error.publicMessage.contains("secret"))
    #expect(error.explanation != error.publicMessage)
    return error
  }

  @Test func uniqueValuesAndDeletions() throws {
    let folder = try Folder()
    let context = ModelContext(try container(folder.url.appendingPathComponent("a.json")))
    let (one, two) = (Member(email: "secret"), Member(email: "b"))
    context.insert(one)
    context.insert(two)
    try context.save()
    two.email = "secret"
    let taken = try failure { try context.save() }
    guard case .uniqueValueTaken("Member", ["email"], nil) = taken.reason else {
      Issue.record("\(taken.reason)")
      return
    }
    #expect(taken.publicMessage == "Another Member already has this email.")
    context.rollback()
    let loan = Loan(title: "secret")
    context.insert(loan)
    loan.member = one
    try context.save()
    context.delete(one)
    do {
      try context.save()
      Issue.record("nothing was thrown")
    } catch let error as DocumentStoreError {
      guard case .deletionDenied("Member", "loans") = error.reason else {
        Issue.record("\(error.reason)")
        return
      }
    } catch let error as SwiftDataError {
      // The rule was found in memory.
      guard case .deletionDenied("Member", "loans") = error.reason else {
        Issue.record("\(error.reason)")
        return
      }
    }
  }

  @Test func filesOfOtherKinds() throws {
    let folder = try Folder()
    let url = folder.url.appendingPathComponent("a.json")
    try Data("{".utf8).write(to: url)
    let damaged = try failure { _ = try container(url) }
    guard case .storeDamaged = damaged.reason else {
      Issue.record("\(damaged.reason)")
      return
    }
    let missing = try failure {
      _ = try container(folder.url.appendingPathComponent("no/folder/a.json"))
    }
    guard case .unavailable = missing.reason else {
      Issue.record("\(missing.reason)")
      return
    }
  }

  @Test func aFileThatIsGone() throws {
    let folder = try Folder()
    let url = folder.url.appendingPathComponent("a.json")
    let context = ModelContext(try container(url))
    context.insert(Member(email: "a"))
    try context.save()
    try FileManager.default.removeItem(at: url)
    context.insert(Member(email: "b"))
    let error = try failure { try context.save() }
    #expect(error.code == .missingFile && error.reason.isTransient)
    guard case .unavailable = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test(.enabled(if: Mount.isPermitted, "file systems can't be mounted here"))
  func aFullDiskAndOneThatIsReadOnly() throws {
    try Mount.use(size: "64k") { volume in
      let context = ModelContext(try container(volume.appendingPathComponent("a.json")))
      let member = Member(email: "a")
      context.insert(member)
      try context.save()
      member.email = String(repeating: "secret", count: 30_000)
      let full = try failure { try context.save() }
      guard case .diskFull = full.reason, full.reason.isTransient else {
        Issue.record("\(full.reason): \(full)")
        return
      }
      member.email = "b"
      try context.save()
      try Mount.run("mount", "-o", "remount,ro", volume.path)
      member.email = "c"
      let readOnly = try failure { try context.save() }
      guard case .readOnly = readOnly.reason else {
        Issue.record("\(readOnly.reason): \(readOnly)")
        return
      }
    }
  }
}
