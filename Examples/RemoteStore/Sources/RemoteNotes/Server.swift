import Foundation
import Hummingbird
import SwiftData

/// The JSON API on loopback: `POST /query` and `POST /changes`.
struct Server {
  let url: URL
  private let task: Task<Void, any Error>

  /// Starts a server on a free port.
  static func start() async throws -> Server {
    let table = NoteTable()
    let router = Router()
    router.post("query") { request, _ in
      try await answer(request) { query in try await table.answer(query) }
    }
    router.post("changes") { request, _ in
      try await answer(request) { changes in try await table.apply(changes) }
    }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
    // The end of the server is part of the example and no error.
    application.logger.logLevel = .critical
    let server = application
    let task = Task {
      defer { port.finish() }
      try await server.runService()
    }
    guard let number = await ports.first(where: { $0 > 0 }),
      let url = URL(string: "http://127.0.0.1:\(number)")
    else {
      try await task.value
      throw CancellationError()
    }
    return Server(url: url, task: task)
  }

  func stop() async {
    task.cancel()
    _ = await task.result
  }

  private static func answer<Question: Decodable, Answer: Encodable>(
    _ request: Request, _ body: (Question) async throws -> Answer
  ) async throws -> ByteBuffer {
    let bytes = try await request.body.collect(upTo: 1 << 20)
    let question = try JSONDecoder().decode(Question.self, from: Data(bytes.readableBytesView))
    return ByteBuffer(bytes: try JSONEncoder().encode(try await body(question)))
  }
}
