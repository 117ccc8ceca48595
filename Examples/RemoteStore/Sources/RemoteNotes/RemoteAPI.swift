import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests to the server, which wait for the answer: a store is called synchronously.
struct RemoteAPI: Sendable {
  let url: URL
  private let session: URLSession

  init(_ url: URL) {
    self.url = url
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 5
    session = URLSession(configuration: configuration)
  }

  /// - Throws: `RemoteStoreError`.
  func post<Question: Encodable, Answer: Decodable>(
    _ question: Question, to path: String, as type: Answer.Type = Answer.self
  ) throws -> Answer {
    var request = URLRequest(url: url.appending(path: path))
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(question)
    let reply = Reply()
    session.dataTask(with: request) { data, response, error in
      reply.finish(data, (response as? HTTPURLResponse)?.statusCode, error)
    }.resume()
    let (data, status) = try reply.wait()
    guard status == 200 else { throw RemoteStoreError.refused(status: status) }
    return try JSONDecoder().decode(Answer.self, from: data)
  }

  private final class Reply: Sendable {
    private let result = Mutex<Result<(Data, Int), RemoteStoreError>?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func finish(_ data: Data?, _ status: Int?, _ error: (any Error)?) {
      result.withLock { result in
        if let data, let status {
          result = .success((data, status))
        } else {
          result = .failure(.offline(reason: error?.localizedDescription ?? "no answer"))
        }
      }
      arrival.signal()
    }

    func wait() throws -> (Data, Int) {
      arrival.wait()
      guard let result = result.withLock({ $0 }) else { throw RemoteStoreError.offline(reason: "") }
      return try result.get()
    }
  }
}

/// The errors of the store.
enum RemoteStoreError: Error, CustomStringConvertible {
  /// The server can't be reached. Nothing was saved; the context keeps its changes.
  case offline(reason: String)
  /// The server has rejected the request.
  case refused(status: Int)

  var description: String {
    switch self {
    case .offline(let reason): "The server can't be reached, so nothing was saved (\(reason))."
    case .refused(let status): "The server has refused the request with the status \(status)."
    }
  }
}
