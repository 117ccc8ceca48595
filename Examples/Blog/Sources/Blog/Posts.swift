import Foundation
import Hummingbird
import SwiftData

/// What requests do with posts. Each function runs on the actor of its context.
extension ModelContext {
  func post(_ code: String, prefetching keyPaths: [PartialKeyPath<Post>] = []) throws -> Post {
    var descriptor = FetchDescriptor<Post>(predicate: #Predicate { $0.code == code })
    descriptor.relationshipKeyPathsForPrefetching = keyPaths
    guard Code.isValid(code), let post = try fetch(descriptor).first
    else { throw HTTPError(.notFound, message: "There is no such post.") }
    return post
  }

  /// A page of posts, the newest first.
  ///
  /// The page begins after a code, not at an offset: posts that are added meanwhile neither repeat nor
  /// hide others, and the unique index finds the place at once.
  func posts(_ list: PostList) throws -> Page<PostView> {
    // Codes consist of digits and lowercase letters, so this text is after all of them.
    let after = list.page.after ?? "~"
    var descriptor = FetchDescriptor<Post>()
    descriptor.predicate =
      switch (list.tag, list.search) {
      case (nil, nil): #Predicate { $0.code < after }
      case (let tag?, nil): #Predicate { $0.code < after && $0.tags.contains { $0.name == tag } }
      case (nil, let text?):
        #Predicate {
          $0.code < after
            && ($0.title.localizedStandardContains(text)
              || $0.body.localizedStandardContains(text))
        }
      case (let tag?, let text?):
        #Predicate {
          $0.code < after && $0.tags.contains { $0.name == tag }
            && ($0.title.localizedStandardContains(text)
              || $0.body.localizedStandardContains(text))
        }
      }
    descriptor.sortBy = [SortDescriptor(\.code, order: .reverse)]
    descriptor.fetchLimit = list.page.limit + 1
    descriptor.relationshipKeyPathsForPrefetching = PostView.relationships
    return Page(try fetch(descriptor).map(PostView.init), limit: list.page.limit, code: \.code)
  }

  func addPost(_ input: PostInput) throws -> PostView {
    let author = try author(input.author)
    let post = Post(title: input.title, body: input.body, author: author)
    insert(post)
    if let names = input.tags { post.tags = try tags(names) }
    return PostView(post)
  }

  /// Changes only the properties that the edit names.
  /// - Parameter revision: The revision that the client has seen.
  func edit(_ code: String, _ edit: PostEdit, ifMatch revision: Revision) throws -> PostView {
    let post = try post(code, prefetching: PostView.relationships)
    try revision.check(post.revision)
    if let title = edit.title { post.title = title }
    if let body = edit.body { post.body = body }
    if let names = edit.tags { post.tags = try tags(names) }
    post.revision += 1
    return PostView(post)
  }

  func like(_ code: String) throws -> Likes {
    let post = try post(code)
    post.likes += 1
    return Likes(likes: post.likes)
  }

  /// A second deletion answers 404: the row is read inside the transaction.
  func deletePost(_ code: String, ifMatch revision: Revision?) throws {
    let post = try post(code)
    try revision?.check(post.revision)
    delete(post)
  }

  /// The tags with these names; makes those that do not exist. Another writer cannot add one meanwhile.
  private func tags(_ names: [String]) throws -> [Tag] {
    let known = try fetch(
      FetchDescriptor<Tag>(predicate: #Predicate { names.contains($0.name) }))
    let knownNames = Set(known.map(\.name))
    return known + names.filter { !knownNames.contains($0) }.map(Tag.init)
  }
}

/// Which page of a list a client wants.
struct PageRequest: Sendable {
  let limit: Int
  let after: String?

  init(_ request: Request) throws {
    let query = request.query
    guard let limit = Int(query["limit"] ?? "20"), (1...100).contains(limit) else {
      throw HTTPError(.badRequest, message: "limit is a number from 1 to 100.")
    }
    self.limit = limit
    after = query["after"]
    guard after.map(Code.isValid) ?? true else {
      throw HTTPError(.badRequest, message: "after is the value of next of an earlier page.")
    }
  }
}

/// Which posts a client wants.
struct PostList: Sendable {
  let page: PageRequest
  let tag: String?
  let search: String?

  init(_ request: Request) throws {
    page = try PageRequest(request)
    let query = request.query
    tag = try query["tag"].map { try Field.line($0, "tag", 1...50).lowercased() }
    search = try query["search"].map { try Field.line($0, "search", 1...100) }
  }
}

extension Request {
  /// The parameters of the query. Forms and `URLSearchParams` send a space as `+`.
  fileprivate var query: [String: String] {
    func decoded(_ text: Substring) -> String {
      let text = text.replacing("+", with: " ")
      return text.removingPercentEncoding ?? String(text)
    }
    let pairs = (uri.query ?? "").split(separator: "&").map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    return Dictionary(
      pairs.map { (decoded($0[0]), $0.count > 1 ? decoded($0[1]) : "") },
      uniquingKeysWith: { first, _ in first })
  }
}
