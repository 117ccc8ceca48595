import Foundation
import Hummingbird

/// The JSON API.
struct Routes {
  let blog: Blog

  /// The largest picture in bytes.
  static let largestImage = 5 << 20

  func add(to router: Router<BlogContext>) {
    addAuthors(router.group("authors"))
    let posts = router.group("posts")
    addPosts(posts)
    addComments(posts.group(":code"))
  }

  private func addAuthors(_ authors: RouterGroup<BlogContext>) {
    authors.post { [blog] request, context in
      let input = try await request.decode(as: AuthorInput.self, context: context).validated()
      let author = try await blog.write { try $0.addAuthor(input) }
      return Answer(author, author.revision, created: "/authors/\(author.code)")
    }
    authors.get(":code") { [blog] _, context in
      let code = try context.parameters.require("code")
      let author = try await blog.read { AuthorView(try $0.author(code)) }
      return Answer(author, author.revision)
    }
    authors.patch(":code") { [blog] request, context in
      let code = try context.parameters.require("code")
      let revision = try Revision(required: request)
      let edit = try await request.decode(as: AuthorEdit.self, context: context).validated()
      let author = try await blog.write { try $0.edit(code, edit, ifMatch: revision) }
      return Answer(author, author.revision)
    }
    authors.delete(":code") { [blog] request, context -> HTTPResponse.Status in
      let code = try context.parameters.require("code")
      let revision = Revision(request)
      try await blog.write { try $0.deleteAuthor(code, ifMatch: revision) }
      return .noContent
    }
  }

  private func addPosts(_ posts: RouterGroup<BlogContext>) {
    posts.get { [blog] request, _ in
      let list = try PostList(request)
      return try await blog.read { try $0.posts(list) }
    }
    posts.post { [blog] request, context in
      let input = try await request.decode(as: PostInput.self, context: context).validated()
      let post = try await blog.write { try $0.addPost(input) }
      return Answer(post, post.revision, created: "/posts/\(post.code)")
    }
    posts.get(":code") { [blog] request, context in
      let code = try context.parameters.require("code")
      let post = try await blog.read {
        PostView(try $0.post(code, prefetching: PostView.relationships))
      }
      return Answer(post, post.revision)
    }
    posts.patch(":code") { [blog] request, context in
      let code = try context.parameters.require("code")
      let revision = try Revision(required: request)
      let edit = try await request.decode(as: PostEdit.self, context: context).validated()
      let post = try await blog.write { try $0.edit(code, edit, ifMatch: revision) }
      return Answer(post, post.revision)
    }
    posts.delete(":code") { [blog] request, context -> HTTPResponse.Status in
      let code = try context.parameters.require("code")
      let revision = Revision(request)
      try await blog.write { try $0.deletePost(code, ifMatch: revision) }
      return .noContent
    }
  }

  private func addComments(_ post: RouterGroup<BlogContext>) {
    post.post("likes") { [blog] _, context in
      let code = try context.parameters.require("code")
      return try await blog.write { try $0.like(code) }
    }
    post.get("comments") { [blog] request, context in
      let code = try context.parameters.require("code")
      let page = try PageRequest(request)
      return try await blog.read { try $0.comments(of: code, page) }
    }
    post.post("comments") { [blog] request, context in
      let code = try context.parameters.require("code")
      let input = try await request.decode(as: CommentInput.self, context: context).validated()
      let comment = try await blog.write { try $0.addComment(input, to: code) }
      return EditedResponse(status: .created, response: comment)
    }
    post.post("images") { [blog] request, context in
      let code = try context.parameters.require("code")
      let mediaType = try Field.pictureType(request.headers[.contentType])
      let buffer = try await request.body.collect(upTo: Routes.largestImage)
      let data = Data(buffer.readableBytesView)
      guard !data.isEmpty else {
        throw HTTPError(.unprocessableContent, message: "The picture is empty.")
      }
      let image = try await blog.write { try $0.addImage(data, mediaType, to: code) }
      return EditedResponse(
        status: .created, headers: [.location: "/images/\(image.code)"], response: image)
    }
  }

  func addImages(to router: Router<BlogContext>) {
    router.get("images/:code") { [blog] _, context in
      let code = try context.parameters.require("code")
      let (data, mediaType) = try await blog.read { try $0.image(code) }
      // An image never changes, and is no document even if a browser would guess one.
      return Response(
        status: .ok,
        headers: [
          .contentType: mediaType, .cacheControl: "public, max-age=31536000, immutable",
          .xContentTypeOptions: "nosniff",
        ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
  }
}

/// A value with an `ETag`, and the answer 304 for a client that has it.
struct Answer<Value: Encodable & Sendable>: ResponseGenerator, Sendable {
  private let value: Value
  private let revision: Int
  private let location: String?

  init(_ value: Value, _ revision: Int, created location: String? = nil) {
    self.value = value
    self.revision = revision
    self.location = location
  }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    // The same value has the same text.
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(value)
    let tag = Revision.tag(revision, of: data)
    if [.get, .head].contains(request.method),
      Revision.isKnown(tag, ifNoneMatch: request.headers[.ifNoneMatch])
    {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    var response = Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8", .eTag: tag],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    if let location {
      response.status = .created
      response.headers[.location] = location
    }
    return response
  }
}
