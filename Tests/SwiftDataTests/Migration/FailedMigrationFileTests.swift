import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Files with a rollback journal, as apps ship them, when their migration fails after it has begun.
@Suite struct FailedMigrationFileTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder(copying: Self.template.get()) }

  private static let template = Result {
    let folder = try StoreFolder()
    try fill(folder)
    try folder.leaveLog()
    return folder
  }

  private static func fill(_ folder: StoreFolder) throws {
    let context = ModelContext(
      try ModelContainer(
        for: Graded.First.Item.self, configurations: ModelConfiguration(url: folder.store)))
    for number in 0..<5000 { context.insert(Graded.First.Item("item \(number)")) }
    try context.save()
  }

  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Graded.Second.Item.self, configurations: ModelConfiguration(url: folder.store))
  }

  /// The last page of the rows is met before anything is written, one in the middle while rows are copied.
  @Test(arguments: [0, 10]) func aDamagedFileKeepsEachByte(_ pagesBeforeEnd: Int) throws {
    let page = try SQLiteFile.integer(
      """
      SELECT pageno FROM dbstat WHERE name = 'ZITEM' AND pagetype = 'leaf' \
      ORDER BY pageno DESC LIMIT 1 OFFSET \(pagesBeforeEnd)
      """, in: folder.store)
    try folder.leaveLog()
    try folder.overwrite([UInt8](repeating: 0xAA, count: 4096), at: Int(page - 1) * 4096)
    let before = try folder.content()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open() }
    #expect(error?.description.contains("is unchanged") == true, "\(error as Any)")
    #expect(try folder.content() == before && !folder.usesLog)
  }

  @Test func aSoundFileIsSwitchedToALogWhenItIsOpened() throws {
    let context = ModelContext(try open())
    #expect(
      try context.fetchCount(
        FetchDescriptor<Graded.Second.Item>(predicate: #Predicate { $0.grade == 7 })) == 5000)
    #expect(try folder.usesLog)
  }
}
