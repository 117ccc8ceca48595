import Foundation
import Hummingbird
import ServiceLifecycle
import SwiftData

/// Sends changes of the latest posts to all pages that listen. One sequence serves all of them, and sees
/// saves of other processes too. Without pages nothing is read.
@ModelActor
actor Feed: Service {
  private var pages: [UUID: AsyncStream<ByteBuffer>.Continuation] = [:]
  /// The latest posts, known while the feed is followed.
  private var codes: [String]?
  private var following: Task<Void, Never>?

  /// What happened to the latest posts, in their order.
  struct Change: Encodable, Sendable {
    let posts: [String]
    let updated: [String]
  }

  func run() async throws {
    try? await gracefulShutdown()
    following?.cancel()
    for page in pages.values { page.finish() }
  }

  private func follow() async throws {
    var latest = FetchDescriptor<Post>(sortBy: [SortDescriptor(\.code, order: .reverse)])
    latest.fetchLimit = 20
    for await change in modelContext.changes(of: latest) {
      if Task.isCancelled { return }
      let codes = change.models.map(\.code)
      let updated = change.difference.updated.map { change.models[$0.offset].code }
      self.codes = codes
      let message = try event(Change(posts: codes, updated: updated))
      for page in pages.values {
        // A page that reads too slowly gets no more; it connects again and reads the list.
        if case .dropped = page.yield(message) { page.finish() }
      }
    }
  }

  func join(_ page: UUID) throws -> AsyncStream<ByteBuffer> {
    let (messages, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(100))
    // The first page gets the posts with the first element of the sequence.
    if let codes { continuation.yield(try event(Change(posts: codes, updated: []))) }
    pages[page] = continuation
    if following == nil {
      following = Task {
        try? await follow()
        if !Task.isCancelled { end() }
      }
    }
    return messages
  }

  /// The sequence has ended, for example because its first fetch failed. The pages connect again.
  private func end() {
    for page in pages.values { page.finish() }
    (pages, following, codes) = ([:], nil, nil)
  }

  func leave(_ page: UUID) {
    pages[page] = nil
    guard pages.isEmpty else { return }
    following?.cancel()
    (following, codes) = (nil, nil)
  }

  private func event(_ change: Change) throws -> ByteBuffer {
    let data = try JSONEncoder().encode(change)
    return ByteBuffer(string: "event: posts\ndata: \(String(decoding: data, as: UTF8.self))\n\n")
  }
}

extension Feed {
  /// The answer to `GET /events`: a stream of server-sent events until the client or the server ends it.
  nonisolated func response(to request: Request) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let page = UUID()
        let messages = try await self.join(page)
        do {
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            for await message in messages.cancelOnGracefulShutdown() {
              try await writer.write(message)
            }
          }
          try await writer.finish(nil)
        } catch {
          await self.leave(page)
          throw error
        }
        await self.leave(page)
      })
  }
}
