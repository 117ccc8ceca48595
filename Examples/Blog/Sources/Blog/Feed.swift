import Foundation
import Hummingbird
import ServiceLifecycle
import SwiftData

/// Sends changes of the latest posts to all pages that listen. One sequence serves all of them, and sees
/// saves of other processes too. Without pages nothing is read.
@ModelActor
actor Feed: Service {
  /// A page that listens.
  private struct Listener {
    let messages: AsyncStream<ByteBuffer>.Continuation
    /// Ends the connection. The task of a page that reads nothing waits in a write, and nothing else ends it.
    let disconnect: @Sendable () -> Void
  }

  private var pages: [UUID: Listener] = [:]
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
    for page in pages.values { page.messages.finish() }
    // Those that read end now. The others would hold the shutdown.
    if !pages.isEmpty { try? await Task.sleep(for: .seconds(1)) }
    for page in pages.values { page.disconnect() }
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
        // A page that reads too slowly connects again and reads the list.
        if case .dropped = page.messages.yield(message) { page.disconnect() }
      }
    }
  }

  func join(
    _ page: UUID, disconnect: @escaping @Sendable () -> Void
  ) throws -> AsyncStream<ByteBuffer> {
    let (messages, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(100))
    // The first page gets the posts with the first element of the sequence.
    if let codes { continuation.yield(try event(Change(posts: codes, updated: []))) }
    pages[page] = Listener(messages: continuation, disconnect: disconnect)
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
    for page in pages.values { page.disconnect() }
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
  nonisolated func response(to request: Request, _ context: BlogContext) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let page = UUID()
        let messages = try await self.join(page, disconnect: context.disconnect)
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
