import Testing

@testable import Blog

@Suite struct HeaderTests {
  @Test(arguments: ["\"4-b\"", "\"3-a\", \"4-b\"", "\"x,y\",\"4-b\"", "\"4\"", "*", " * "])
  func ifMatchHasTheRevision(header: String) throws {
    try #require(Revision(ifMatch: header)).check(4)
  }

  @Test(arguments: ["\"3-a\"", "\"3-a\", \"5-c\"", "W/\"4-b\"", "4-b", "\"", "", "\"*\""])
  func ifMatchHasOtherRevisions(header: String) throws {
    let revision = try #require(Revision(ifMatch: header))
    #expect(throws: (any Error).self) { try revision.check(4) }
  }

  @Test func withoutIfMatchThereIsNoRevision() {
    #expect(Revision(ifMatch: nil) == nil)
  }

  @Test(arguments: ["\"4-b\"", "W/\"4-b\"", "\"3-a\", W/\"4-b\"", "\"3-a\",\"4-b\"", "*"])
  func ifNoneMatchKnowsTheTag(header: String) {
    #expect(Revision.isKnown("\"4-b\"", ifNoneMatch: header))
  }

  @Test(arguments: ["\"4-c\"", "\"3-a\", \"5-c\"", "w/\"4-b\"", "4-b", "", nil])
  func ifNoneMatchKnowsOtherTags(header: String?) {
    #expect(!Revision.isKnown("\"4-b\"", ifNoneMatch: header))
  }

  @Test(arguments: ["image/png", "Image/PNG", "image/png; name=\"a.png\"", " IMAGE/png ;a=b"])
  func mediaTypesHaveNoCaseAndMayHaveParameters(header: String) throws {
    #expect(try Field.pictureType(header) == "image/png")
  }

  @Test(arguments: ["text/html", "image/svg+xml", "image/pngx", "", nil])
  func otherMediaTypesAreRefused(header: String?) {
    #expect(throws: (any Error).self) { try Field.pictureType(header) }
  }
}
