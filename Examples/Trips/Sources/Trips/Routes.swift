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
    EditedResponse(
      status: .created, response: try await desk.add(details(of: request, context)))
  }

  trips.put(":code") { request, context in
    let code = try context.parameters.require("code", as: UUID.self)
    guard let trip = try await desk.edit(code, details(of: request, context)) else {
      throw HTTPError(.notFound)
    }
    return trip
  }

  trips.delete(":code") { _, context -> HTTPResponse.Status in
    let code = try context.parameters.require("code", as: UUID.self)
    return try await desk.delete(code) ? .noContent : .notFound
  }
  return router
}

private func details(
  of request: Request, _ context: BasicRequestContext
) async throws -> TripDetails {
  let details = try await request.decode(as: TripDetails.self, context: context)
  if let fault = details.fault { throw HTTPError(.badRequest, message: fault) }
  return details
}
