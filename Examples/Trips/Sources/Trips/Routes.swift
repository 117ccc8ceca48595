import Foundation
import Hummingbird
import ServiceLifecycle
import TripModels

/// The page, its live events, and the trips as JSON.
func routes(desk: TripDesk, feed: TripFeed) throws -> Router<BasicRequestContext> {
  guard let file = Bundle.module.url(forResource: "trips", withExtension: "html") else {
    throw CocoaError(.fileNoSuchFile)
  }
  let page = ByteBuffer(bytes: try Data(contentsOf: file))
  let router = Router()

  router.get("/") { _, _ in
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: page))
  }

  router.get("/events") { request, _ in
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let page = UUID()
        let messages = try await feed.join(page)
        do {
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            for await message in messages.cancelOnGracefulShutdown() {
              try await writer.write(message)
            }
          }
          try await writer.finish(nil)
        } catch {
          await feed.leave(page)
          throw error
        }
        await feed.leave(page)
      })
  }

  let trips = router.group("/api/trips")
  trips.get { _, _ in try await desk.trips() }

  trips.post { request, context in
    let details = try await request.decode(as: TripDetails.self, context: context)
    return EditedResponse(status: .created, response: try await desk.add(details))
  }

  trips.patch(":code") { request, context in
    let code = try context.parameters.require("code", as: UUID.self)
    let edit = try await request.decode(as: TripEdit.self, context: context)
    return try await desk.edit(code, edit)
  }

  trips.delete(":code") { _, context -> HTTPResponse.Status in
    let code = try context.parameters.require("code", as: UUID.self)
    try await desk.delete(code)
    return .noContent
  }
  return router
}
