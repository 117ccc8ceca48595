import Foundation
import OpenSwiftDataTestPostgres

/// A network that loses every packet between a client and its server for a while.
///
/// A program in a network namespace of its own passes connections on to the socket of the server. Taking
/// down its end of the link loses all packets without telling either side. The namespace and the link end
/// with the program.
final class LossyNetwork {
  static let isAvailable: Bool = {
    let needs = "for tool in ip nsenter unshare python3; do command -v $tool || exit 1; done"
    if system("(\(needs); unshare --net true) > /dev/null 2>&1") == 0 { return true }
    print("Network namespaces or their tools are missing: the tests of partitions are SKIPPED.")
    return false
  }()

  /// Ends when its standard input does.
  private static let program = """
    import os, socket, sys, threading
    def pump(a, b):
        try:
            while data := a.recv(65536): b.sendall(data)
        except OSError: pass
        for s in (a, b):
            try: s.shutdown(socket.SHUT_RDWR)
            except OSError: pass
    def end():
        sys.stdin.read()
        os._exit(0)
    listener = socket.create_server(("0.0.0.0", 5432))
    threading.Thread(target=end, daemon=True).start()
    print("ready", flush=True)
    while True:
        client = listener.accept()[0]
        server = socket.socket(socket.AF_UNIX)
        server.connect(sys.argv[1] + "/.s.PGSQL.5432")
        for pair in ((client, server), (server, client)):
            threading.Thread(target=pump, args=pair, daemon=True).start()
    """

  /// Where clients connect.
  let host: String
  private let relay = Process()
  private let input = Pipe()

  /// - Parameter folder: The folder of the server's socket.
  init(to folder: String) throws {
    let number = Int.random(in: 0..<16_000)
    let network = "10.\(200 + number / 250 % 50).\(number % 250)"
    host = "\(network).2"
    relay.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    relay.arguments = ["unshare", "--net", "python3", "-c", LossyNetwork.program, folder]
    let output = Pipe()
    relay.standardInput = input
    relay.standardOutput = output
    try relay.run()
    guard !output.fileHandleForReading.availableData.isEmpty else {
      throw PostgresServer.Failure(description: "the relay did not start")
    }
    let link = "osd\(number)"
    try run(
      "ip link add \(link) type veth peer name eth0 netns \(relay.processIdentifier)",
      "ip address add \(network).1/24 dev \(link)", "ip link set \(link) up",
      "\(inside) ip address add \(host)/24 dev eth0", "\(inside) ip link set eth0 up")
  }

  private var inside: String { "nsenter --target \(relay.processIdentifier) --net" }

  private func run(_ commands: String...) throws {
    for command in commands where system(command) != 0 {
      throw PostgresServer.Failure(description: "\(command) failed")
    }
  }

  func set(isUp: Bool) throws {
    try run("\(inside) ip link set eth0 \(isUp ? "up" : "down")")
  }

  /// Threads of tests have blocked the signal that asks a program to end, and programs inherit that.
  func end() {
    kill(relay.processIdentifier, SIGKILL)
    relay.waitUntilExit()
  }
}
