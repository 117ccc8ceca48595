import Foundation
import Synchronization

/// Stands between clients and a server, on a Unix socket, and can lose what they send.
final class PostgresProxy: Sendable {
  enum Mode: Sendable {
    case forward
    /// An answer of the server arrives this long after the request, in however many parts it is sent.
    case slow(seconds: Double)
    /// Everything is lost, as in a network without a route.
    case drop
    /// As `drop`, from the first message of a client on that contains the text.
    case dropFrom(String)
    /// New connections are closed at once.
    case refuse
    /// The next commit reaches the server; its answer does not reach the client, whose connection ends.
    case loseAnswerToCommit
    /// The server ends the session behind its answer to the next commit, or without an answer.
    case endSessionAfterCommit(confirms: Bool)
    /// As `loseAnswerToCommit`; then new connections are closed at once.
    case loseServerAfterCommit
    /// The connection ends before the next commit reaches the server, as often as told.
    case loseCommits(Int)
    /// The connection of the client ends before the next commit reaches the server, which happens some time
    /// later. The two commits after it are lost.
    case delayCommitAndLoseTwo(seconds: Double)
    /// The connection ends before a message reaches the server, after as many others as told.
    case loseMessage(after: Int)
  }

  /// The folder of the socket, which is removed with the proxy.
  let folder: String
  private let serverFolder: String
  private let relay: Relay

  /// - Parameters:
  ///   - folder: The folder of the server's socket.
  ///   - port: The number in the name of the sockets.
  init(to folder: String, port: Int = 5432) throws {
    let socketName = "/.s.PGSQL.\(port)"
    serverFolder = folder
    self.folder = NSTemporaryDirectory() + "opensd-proxy-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(
      atPath: self.folder, withIntermediateDirectories: true)
    relay = Relay(listener: socket(AF_UNIX, Relay.stream, 0), target: folder + socketName)
    let listener = relay.listener
    let result = Relay.with(self.folder + socketName) { bind(listener, $0, $1) }
    guard result == 0, listen(listener, 64) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    Thread { [relay] in relay.serve() }.start()
  }

  deinit {
    relay.end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// An address of the server, through this proxy.
  func address(like address: String) -> String {
    address.replacing("host=\(serverFolder)", with: "host=\(folder)")
  }

  func set(_ mode: Mode) { relay.set(mode) }

  /// The numbers of the connections that clients have now.
  var openConnections: Set<Int> { relay.openConnections }
}

/// The threads of a proxy, which must not retain it.
private final class Relay: Sendable {
  let listener: Int32
  private let target: String
  private let mode = Mutex(PostgresProxy.Mode.forward)
  private let connections = Mutex((opened: 0, open: Set<Int>()))

  init(listener: Int32, target: String) {
    self.listener = listener
    self.target = target
  }

  func set(_ mode: PostgresProxy.Mode) { self.mode.withLock { $0 = mode } }

  var openConnections: Set<Int> { connections.withLock { $0.open } }

  /// Ends `serve`, which closes the socket. Connections stay.
  func end() { shutdown(listener, Int32(SHUT_RDWR)) }

  #if canImport(Darwin)
    static let stream = SOCK_STREAM
    private static let withoutSignal: Int32 = 0
  #else
    static let stream = Int32(SOCK_STREAM.rawValue)
    /// The other side may be closed.
    private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #endif

  static func with(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The message of a server that an administrator ends.
  private static let endOfSession: [UInt8] = {
    let body = Array("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0".utf8)
    return [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 4)] + body
  }()

  func serve() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 {
        close(listener)
        return
      }
      let server = socket(AF_UNIX, Relay.stream, 0)
      guard mode.withLock({ if case .refuse = $0 { false } else { true } }),
        Relay.with(target, { connect(server, $0, $1) }) == 0
      else {
        close(client)
        close(server)
        continue
      }
      let number = connections.withLock { connections in
        connections.opened += 1
        connections.open.insert(connections.opened)
        return connections.opened
      }
      let link = Link(client: client, server: server)
      Thread {
        self.pump(link, fromClient: true)
        self.connections.withLock { _ = $0.open.remove(number) }
      }.start()
      Thread { self.pump(link, fromClient: false) }.start()
    }
  }

  private final class Link: Sendable {
    let client: Int32
    let server: Int32
    let isCut = Mutex(false)
    let lastRequest = Mutex(Date.now)

    init(client: Int32, server: Int32) {
      self.client = client
      self.server = server
    }

    func cut() {
      isCut.withLock { $0 = true }
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }
  }

  private func pump(_ link: Link, fromClient: Bool) {
    let (source, target) =
      fromClient ? (link.client, link.server) : (link.server, link.client)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count <= 0 { break }
      let bytes = buffer[..<count]
      var mode = mode.withLock { $0 }
      if case .drop = mode { continue }
      if fromClient, case .dropFrom(let text) = mode, bytes.firstRange(of: Array(text.utf8)) != nil
      {
        set(.drop)
        continue
      }
      if fromClient { link.lastRequest.withLock { $0 = .now } }
      if !fromClient, case .slow(let seconds) = mode {
        Thread.sleep(until: link.lastRequest.withLock { $0 } + seconds)
      }
      if !fromClient, case .endSessionAfterCommit(let confirms) = mode,
        let tag = bytes.firstRange(of: Array("COMMIT\0".utf8))
      {
        set(.forward)
        // A command's answer is its kind, its length, and its tag.
        let end = confirms ? tag.upperBound : tag.lowerBound - 5
        let answer = Array(bytes[..<end]) + Relay.endOfSession
        _ = answer.withUnsafeBytes {
          send(target, $0.baseAddress!, answer.count, Relay.withoutSignal)
        }
        return link.cut()
      }
      // The answer to a commit that is to be lost.
      if !fromClient, link.isCut.withLock({ $0 }) { return link.cut() }
      if fromClient, case .loseMessage(let count) = mode {
        set(count > 0 ? .loseMessage(after: count - 1) : .forward)
        if count == 0 { return link.cut() }
      }
      if fromClient, bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil {
        switch mode {
        case .loseCommits(let count):
          set(count > 1 ? .loseCommits(count - 1) : .forward)
          return link.cut()
        case .delayCommitAndLoseTwo(let seconds):
          set(.loseCommits(2))
          shutdown(link.client, Int32(SHUT_RDWR))
          Thread.sleep(forTimeInterval: seconds)
        case .loseAnswerToCommit:
          link.isCut.withLock { $0 = true }
          mode = .forward
          set(.forward)
        case .loseServerAfterCommit:
          link.isCut.withLock { $0 = true }
          set(.refuse)
        default: break
        }
      }
      var sent = 0
      while sent < count {
        let part = buffer.withUnsafeBytes {
          send(target, $0.baseAddress! + sent, count - sent, Relay.withoutSignal)
        }
        if part <= 0 { return link.cut() }
        sent += part
      }
    }
    link.cut()
  }
}
