import Foundation
import Testing

@testable import Blog

@Suite struct CodeTests {
  @Test func codesOfOneMillisecondAscend() async {
    let lists = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<4 { group.addTask { (0..<5_000).map { _ in Code.next() } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for codes in lists { #expect(codes == codes.sorted()) }
    #expect(Set(lists.joined()).count == 20_000)
    #expect(lists.joined().allSatisfy(Code.isValid))
  }
}
