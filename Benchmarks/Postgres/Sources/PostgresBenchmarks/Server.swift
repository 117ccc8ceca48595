import Foundation

/// The database of a run: the one that `OPENSWIFTDATA_POSTGRES_URL` names, or that of a server in a
/// temporary folder, which ends with this process.
final class Server {
  /// `host=… dbname=…` or a URL.
  let address: String
  private let shell: Process?
  private let input = Pipe()

  /// - Parameter fsync: `off` if the server does not wait for the disk, so that times are those of the
  ///   programs.
  private static func script(fsync: String) -> String {
    """
    bin=$(ls -d /usr/lib/postgresql/*/bin /opt/homebrew/bin 2> /dev/null | tail -1)
    command -v initdb > /dev/null && bin=$(dirname "$(command -v initdb)")
    dir=$(mktemp -d /tmp/opensd-pg-XXXXXX) || exit 1
    as=
    if [ "$(id -u)" = 0 ]; then
      as="setpriv --reuid=postgres --regid=postgres --clear-groups"
      chown postgres "$dir"
    fi
    cd "$dir"
    trap '$as "$bin/pg_ctl" stop -D data -m immediate > /dev/null 2>&1; cd /; rm -rf "$dir"' EXIT
    trap '' INT
    $as "$bin/initdb" -D data -U postgres -A trust --no-sync -E UTF8 --locale=C > /dev/null || exit 1
    $as sh -c "cat >> data/postgresql.conf" <<END
    listen_addresses = ''
    unix_socket_directories = '$dir'
    fsync = \(fsync)
    shared_buffers = 512MB
    max_wal_size = 4GB
    END
    $as "$bin/pg_ctl" start -D data -l server.log -w > /dev/null || exit 1
    echo "$dir"
    read -r line
    """
  }

  /// - Parameter isDurable: Whether commits wait for the disk, as by the defaults of PostgreSQL.
  init(isDurable: Bool = false) throws {
    if let address = ProcessInfo.processInfo.environment["OPENSWIFTDATA_POSTGRES_URL"] {
      self.address = address
      shell = nil
      return
    }
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", Server.script(fsync: isDurable ? "on" : "off")]
    let output = Pipe()
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
    var line = Data()
    while line.last != 10 {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      if byte.isEmpty { throw Failure("the server did not start; is PostgreSQL installed?") }
      line += byte
    }
    let folder = String(decoding: line.dropLast(), as: UTF8.self)
    address = "host=\(folder) user=postgres dbname=postgres"
    self.shell = shell
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    shell?.waitUntilExit()
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
