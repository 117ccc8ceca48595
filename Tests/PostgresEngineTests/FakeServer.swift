import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres

/// A server on a TCP port that sends what a test wants, to one client after the other.
final class FakeServer: Sendable {
  let port: UInt16
  private let listener: Int32

  #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    private static let withoutSignal: Int32 = 0
  #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #endif

  struct Client: Sendable {
    let socket: Int32

    @discardableResult
    func receive() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 8192)
      let count = recv(socket, &bytes, bytes.count, 0)
      return Array(bytes.prefix(max(count, 0)))
    }

    /// - Returns: Whether the client still listens.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.send(socket, $0.baseAddress, $0.count, FakeServer.withoutSignal)
        }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    /// Sends a message of the protocol.
    @discardableResult
    func send(_ type: Unicode.Scalar, _ body: [UInt8] = []) -> Bool {
      send([UInt8(type.value)] + word(UInt32(body.count + 4)) + body)
    }

    /// Accepts the client, as PostgreSQL does.
    func accept() {
      receive()
      send("R", word(0))
      for (name, value) in [
        ("server_version", "15.4"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"),
        ("standard_conforming_strings", "on"),
      ] {
        send("S", Array(name.utf8) + [0] + Array(value.utf8) + [0])
      }
      send("K", word(1) + word(2))
      send("Z", [UInt8(ascii: "I")])
    }

    /// Answers the preparation of a statement with one column of the type `bigint`.
    func describe() {
      receive()
      send("1")
      send("t", [0, 0])
      send("T", FakeServer.column)
      send("Z", [UInt8(ascii: "I")])
    }

    /// The beginning of the answer to a run.
    func beginRows() {
      receive()
      send("2")
      send("T", FakeServer.column)
    }

    /// One row with one value.
    @discardableResult
    func sendRow(_ value: [UInt8]) -> Bool {
      send("D", [0, 1] + word(UInt32(value.count)) + value)
    }

    func word(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
  }

  /// The description of one column `a` of the type `bigint` in binary form.
  static let column: [UInt8] =
    [0, 1, UInt8(ascii: "a"), 0] + [0, 0, 0, 0, 0, 0] + [
      0, 0, 0, 20, 0, 8, 255, 255, 255, 255, 0, 1,
    ]

  init(_ serve: @escaping @Sendable (Client) -> Void) throws {
    let listener = socket(AF_INET, FakeServer.stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 10) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    guard isBound else { throw PostgresServer.Failure(description: "no port") }
    Thread.detachNewThread {
      while true {
        let socket = accept(listener, nil, nil)
        if socket < 0 { return }
        #if canImport(Darwin)
          var yes: Int32 = 1
          setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, 4)
        #endif
        Thread.detachNewThread {
          serve(Client(socket: socket))
          close(socket)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var parameters: ConnectionParameters {
    var parameters = ConnectionParameters()
    parameters["host"] = "127.0.0.1"
    parameters["port"] = String(port)
    parameters["user"] = "ann"
    parameters["dbname"] = "fake"
    parameters["sslmode"] = "disable"
    parameters["gssencmode"] = "disable"
    return parameters
  }
}
