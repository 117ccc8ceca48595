import Foundation
import SwiftData
import Testing

/// A context that refuses conflicts reads a large value whose file another container has removed.
@Suite struct RemovedValueConflictTests {
  @Model final class Photo {
    @Attribute(.unique) var code: String
    var rating = 0
    @Attribute(.externalStorage) var data: Data?

    init(_ code: String) { self.code = code }
  }

  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    context = try RemovedValueConflictTests.context(folder)
    context.conflictPolicy = .refuse
    let photo = Photo("a")
    photo.data = Data(repeating: 7, count: 140_000)
    let writer = try RemovedValueConflictTests.context(folder)
    writer.insert(photo)
    try writer.save()
  }

  private static func context(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Photo.self, configurations: ModelConfiguration(url: folder.store)))
  }

  private func photo(in context: ModelContext) throws -> Photo {
    try #require(try context.fetch(FetchDescriptor<Photo>()).first)
  }

  @Test(arguments: [false, true], [false, true])
  func aRemovedValueIsAConflict(isUpsert: Bool, editsIt: Bool) throws {
    let photo = try photo(in: context)
    if editsIt { photo.data = Data(repeating: 1, count: 160_000) } else { photo.rating = 5 }
    let other = try RemovedValueConflictTests.context(folder)
    if isUpsert { other.insert(Photo("a")) } else { try self.photo(in: other).data = nil }
    try other.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.conflicts.flatMap { $0.properties.map(\.name) } == ["data"])
  }

  @Test func anAddedValueIsAConflict() throws {
    let photo = try photo(in: context)
    photo.data = nil
    try context.save()
    photo.rating = 5
    let other = try RemovedValueConflictTests.context(folder)
    try self.photo(in: other).data = Data(repeating: 2, count: 140_000)
    try other.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.conflicts.flatMap { $0.properties.map(\.name) } == ["data"])
  }

  @Test func aValueThatNobodyChangedIsNoConflict() throws {
    let photo = try photo(in: context)
    photo.rating = 5
    let other = try RemovedValueConflictTests.context(folder)
    other.insert(Photo("b"))
    try other.save()
    for rating in 1...3 {
      try context.save()
      photo.rating = rating
    }
    photo.data = Data(repeating: 2, count: 140_000)
    for rating in 1...3 {
      try context.save()
      photo.rating = rating
    }
    try context.save()
  }
}
