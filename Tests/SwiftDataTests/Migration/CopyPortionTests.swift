import Foundation
import SwiftData
import Testing

/// Tables that are copied in portions lose no row between two of them.
@Suite struct CopyPortionTests {
  enum Old {
    @Model final class Parcel {
      var number: Int
      var weight: Int

      init(_ number: Int) { (self.number, weight) = (number, number * 10) }
    }
  }

  enum New {
    @Model final class Parcel {
      var number: Int
      var weight: Double

      init(_ number: Int) { (self.number, weight) = (number, 0) }
    }
  }

  @Test(arguments: [1, 2, 3, 6, 7, 8] as [Int64], [0, 1, 7, 12])
  func everyRowIsCopied(portion: Int64, count: Int) throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.store)
    do {
      let context = ModelContext(
        try ModelContainer(for: Old.Parcel.self, configurations: configuration))
      let parcels = (0..<count + 3).map(Old.Parcel.init)
      for parcel in parcels { context.insert(parcel) }
      try context.save()
      // Keys with gaps, at the end too.
      for parcel in parcels.suffix(3) { context.delete(parcel) }
      try context.save()
    }
    try SchemaChange.$portion.withValue(portion) {
      let context = ModelContext(
        try ModelContainer(for: New.Parcel.self, configurations: configuration))
      let parcels = try context.fetch(
        FetchDescriptor<New.Parcel>(sortBy: [SortDescriptor(\.number)]))
      let kept = try SQLiteFile.integer("SELECT count(*) FROM ZPARCEL", in: folder.store)
      #expect(kept == Int64(count) && parcels.count == count)
      #expect(parcels.allSatisfy { $0.weight == Double($0.number * 10) })
      #expect(Set(parcels.map(\.number)).count == count)
    }
  }
}
