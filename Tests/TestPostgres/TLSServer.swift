import Foundation

/// A PostgreSQL server on a free port of the loopback interface, with certificates that `openssl` makes.
///
/// A shell runs it, stops it and removes the folder when its standard input ends, as `PostgresServer`
/// does.
package final class TLSServer: Sendable {
  /// The folder with `ca.crt`, the authority of the server's certificate, and `other.crt`, another one.
  package let folder: String
  package let port: Int
  private let shell: Process
  private let input: Pipe

  /// Whether PostgreSQL and openssl are installed. Prints a line if they are not.
  package static let isAvailable: Bool = {
    let paths = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
    if PostgresServer.isAvailable, paths.contains(where: FileManager.default.isExecutableFile) {
      return true
    }
    print("PostgreSQL or openssl is not installed: the tests of encrypted connections are SKIPPED.")
    return false
  }()

  private static let script = """
    bin=$1
    tls=$2
    port=$3
    as=
    dir=$(mktemp -d /tmp/opensd-tls-XXXXXX) || exit 1
    cd "$dir"
    cleanup() {
      $as "$bin/pg_ctl" stop -D "$dir/data" -m immediate -w -t 10 > /dev/null 2>&1
      cd /
      rm -rf "$dir"
    }
    trap cleanup EXIT
    trap '' INT
    authority() {
      openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.crt"
    }
    {
      authority ca && authority other &&
      openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr &&
      printf 'subjectAltName=DNS:localhost' > names &&
      openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
        -extfile names -out server.crt
    } > openssl.log 2>&1 || { cat openssl.log >&2; exit 1; }
    chmod 755 "$dir"
    chmod 600 server.key
    if [ "$(id -u)" = 0 ]; then
      as="setpriv --reuid=postgres --regid=postgres --clear-groups"
      chown -R postgres "$dir"
    fi
    chmod 644 ca.crt other.crt
    $as "$bin/initdb" -D data -U postgres -A trust --no-sync --no-instructions -E UTF8 --locale=C \
      > initdb.log 2>&1 || { cat initdb.log >&2; exit 1; }
    kind=host
    [ "$tls" = on ] && kind=hostssl
    $as sh -c "echo '$kind all all all trust' > data/pg_hba.conf; cat >> data/postgresql.conf" <<END
    listen_addresses = 'localhost'
    port = $port
    unix_socket_directories = '$dir'
    fsync = off
    ssl = $tls
    ssl_cert_file = '$dir/server.crt'
    ssl_key_file = '$dir/server.key'
    END
    $as "$bin/pg_ctl" start -D "$dir/data" -l "$dir/server.log" -t 30 > start.log 2>&1 &
    tries=150
    while [ "$tries" -gt 0 ] && ! grep -q 'ready to accept' server.log 2> /dev/null; do
      sleep 0.2
      tries=$((tries - 1))
    done
    [ "$tries" -gt 0 ] || { cat start.log server.log >&2; exit 1; }
    echo "$dir"
    while read -r _; do :; done
    """

  package init(usesTLS: Bool = true) throws {
    guard let binaries = PostgresServer.binaries else {
      throw PostgresServer.Failure(description: "no PostgreSQL")
    }
    let port = try TLSServer.freePort()
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", TLSServer.script, "sh", binaries, usesTLS ? "on" : "off", "\(port)",
    ]
    let (input, output) = (Pipe(), Pipe())
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
    var line = Data()
    while line.last != 10 {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      if byte.isEmpty { throw PostgresServer.Failure(description: "the server did not start") }
      line += byte
    }
    folder = String(decoding: line.dropLast(), as: UTF8.self)
    self.port = port
    self.shell = shell
    self.input = input
  }

  /// Stops the server and removes its folder.
  package func stop() {
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  /// A port that no program uses at this moment.
  private static func freePort() throws -> Int {
    let file = socket(AF_INET, streamType, 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let done = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, length) == 0 && getsockname(file, $0, &length) == 0
      }
    }
    guard file >= 0, done else { throw PostgresServer.Failure(description: "no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
  #else
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #endif
}
