import Foundation
import Hummingbird
import SwiftData

/// What requests do with authors, comments and images.
extension ModelContext {
  func author(_ code: String) throws -> Author {
    guard Code.isValid(code),
      let author = try fetch(
        FetchDescriptor<Author>(predicate: #Predicate { $0.code == code })
      ).first
    else { throw HTTPError(.notFound, message: "There is no such author.") }
    return author
  }

  /// An e-mail address that is taken makes the save throw, which answers 409.
  func addAuthor(_ input: AuthorInput) throws -> AuthorView {
    let author = Author(email: input.email, name: input.name)
    insert(author)
    return AuthorView(author)
  }

  func edit(_ code: String, _ edit: AuthorEdit, ifMatch revision: Revision) throws -> AuthorView {
    let author = try author(code)
    try revision.check(author.revision)
    if let email = edit.email { author.email = email }
    if let name = edit.name { author.name = name }
    author.revision += 1
    return AuthorView(author)
  }

  /// An author with posts cannot be deleted: the relationship has the rule `.deny`.
  func deleteAuthor(_ code: String, ifMatch revision: Revision?) throws {
    let author = try author(code)
    try revision?.check(author.revision)
    delete(author)
  }

  func comments(of code: String, _ page: PageRequest) throws -> Page<CommentView> {
    _ = try post(code)
    let after = page.after ?? ""
    var descriptor = FetchDescriptor<Comment>(
      predicate: #Predicate { $0.post?.code == code && $0.code > after },
      sortBy: [SortDescriptor(\.code)])
    descriptor.fetchLimit = page.limit + 1
    return Page(try fetch(descriptor).map(CommentView.init), limit: page.limit, code: \.code)
  }

  func addComment(_ input: CommentInput, to code: String) throws -> CommentView {
    let comment = Comment(signature: input.signature, text: input.text, post: try post(code))
    insert(comment)
    return CommentView(comment)
  }

  func addImage(_ data: Data, _ mediaType: String, to code: String) throws -> ImageView {
    let image = Image(mediaType: mediaType, data: data, post: try post(code))
    insert(image)
    return ImageView(code: image.code, mediaType: mediaType, size: data.count)
  }

  func image(_ code: String) throws -> (data: Data, mediaType: String) {
    guard Code.isValid(code),
      let image = try fetch(FetchDescriptor<Image>(predicate: #Predicate { $0.code == code })).first
    else { throw HTTPError(.notFound, message: "There is no such image.") }
    // The file of a large value may be missing, for example after a backup was restored without them.
    guard !image.data.isEmpty else {
      throw HTTPError(.internalServerError, message: "The image cannot be read.")
    }
    return (image.data, image.mediaType)
  }
}
