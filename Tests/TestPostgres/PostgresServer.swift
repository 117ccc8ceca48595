import Foundation
package import OpenSwiftDataPostgresEngine
import Synchronization

/// A PostgreSQL server for tests, in a temporary folder and on a Unix socket only.
///
/// A shell runs it, stops it and removes the folder when its standard input ends: at `stop`, or when
/// the process of the tests ends, in whatever way.
package final class PostgresServer: Sendable {
  /// The folder of the socket.
  package let socketFolder: String
  let folder: String
  private let shell: Process
  private let input: Pipe
  private let output: FileHandle

  /// The folder with `initdb` and `pg_ctl`; `nil` if PostgreSQL is not installed.
  package static let binaries: String? = {
    var folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map(String.init)
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    folders += versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
      .map { "/usr/lib/postgresql/\($0)/bin" }
    folders += ["/opt/homebrew/bin", "/usr/local/bin"]
    return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()

  /// Whether tests with a server can run. Prints a line if they cannot.
  package static let isAvailable: Bool = {
    if binaries != nil { return true }
    print(
      "PostgreSQL is not installed: the tests of the PostgreSQL engine that need a server are SKIPPED."
        + " Run Scripts/setup --development.")
    return false
  }()

  private static let sharedServer = Mutex<Result<PostgresServer, any Error>?>(nil)

  /// The server of all tests that do not stop it.
  package static var shared: PostgresServer {
    get throws {
      try sharedServer.withLock { server in
        if server == nil { server = Result { try PostgresServer() } }
        return try server!.get()
      }
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  private static let script = """
    bin=$1
    as=
    poolerpid=
    dir=$(mktemp -d /tmp/opensd-pg-XXXXXX) || exit 1
    if [ "$(id -u)" = 0 ]; then
      as="setpriv --reuid=postgres --regid=postgres --clear-groups"
      chown postgres "$dir"
    fi
    cd "$dir"
    cleanup() {
      [ -n "$poolerpid" ] && kill "$poolerpid"
      pid=$(head -1 data/postmaster.pid 2> /dev/null)
      if [ -n "$pid" ]; then
        kill -CONT "$pid" $(ps -o pid= --ppid "$pid") 2> /dev/null
        $as "$bin/pg_ctl" stop -D "$dir/data" -m immediate -w -t 10 > /dev/null 2>&1
      fi
      for standby in "$dir"/standby*; do
        [ -d "$standby" ] || continue
        $as "$bin/pg_ctl" stop -D "$standby" -m immediate -w -t 10 > /dev/null 2>&1
      done
      cd /
      rm -rf "$dir"
    }
    trap cleanup EXIT
    trap '' INT
    $as "$bin/initdb" -D data -U postgres -A trust --no-sync --no-instructions -E UTF8 --locale=C \
      > initdb.log 2>&1 || { cat initdb.log >&2; exit 1; }
    $as sed -i.old '1i local protected all scram-sha-256' data/pg_hba.conf
    $as sh -c "cat >> data/postgresql.conf" <<END
    listen_addresses = ''
    unix_socket_directories = '$dir'
    fsync = off
    full_page_writes = off
    max_connections = 200
    max_prepared_transactions = 10
    shared_buffers = 32MB
    max_wal_size = 4GB
    END
    cat > pooler.ini <<END
    [databases]
    postgres = host=$dir dbname=postgres user=postgres
    session = host=$dir dbname=postgres user=postgres pool_mode=session pool_size=2
    [pgbouncer]
    unix_socket_dir = $dir
    listen_port = 6432
    auth_type = any
    pool_mode = transaction
    default_pool_size = 2
    END
    $as "$bin/pg_ctl" start -D "$dir/data" -l "$dir/server.log" -w -t 30 > /dev/null 2> start.log \
      || { cat start.log >&2; exit 1; }
    echo "$dir"
    while read -r mode pooler; do
      if [ "$mode" = pooler ]; then
        LD_LIBRARY_PATH=$OPENSWIFTDATA_PGBOUNCER_LIBRARIES $as "$pooler" pooler.ini > /dev/null 2>&1 &
        poolerpid=$!
        tries=100
        while [ ! -S .s.PGSQL.6432 ] && [ "$tries" -gt 0 ]; do sleep 0.1; tries=$((tries - 1)); done
        [ -S .s.PGSQL.6432 ]
        echo "$?"
        continue
      fi
      copy="$dir/standby$pooler"
      case "$mode" in
        copy)
          tool=$bin/pg_basebackup
          # A folder of links may lack it.
          [ -x "$tool" ] || tool=$(dirname "$(readlink -f "$bin/initdb")")/pg_basebackup
          $as "$tool" -h "$dir" -U postgres -D "$copy" -R -X stream -c fast --no-sync \
            > copy.log 2>&1 || { cat copy.log >&2; echo 1; continue; } ;;
      esac
      case "$mode" in
        copy | startcopy)
          $as "$bin/pg_ctl" start -D "$copy" -o "-p $pooler" -l "$dir/$pooler.log" -w \
            > /dev/null 2>&1
          echo "$?"
          continue ;;
        stopcopy)
          $as "$bin/pg_ctl" stop -D "$copy" -m immediate -w > /dev/null 2>&1
          echo "$?"
          continue ;;
        promote)
          $as "$bin/pg_ctl" promote -D "$copy" -w > /dev/null 2>&1
          echo "$?"
          continue ;;
      esac
      $as "$bin/pg_ctl" restart -D "$dir/data" -m "$mode" -l "$dir/server.log" -w > /dev/null 2>&1
      echo "$?"
    done
    """

  package init() throws {
    guard let binaries = PostgresServer.binaries else {
      throw Failure(description: "no PostgreSQL")
    }
    shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", PostgresServer.script, "sh", binaries]
    input = Pipe()
    let output = Pipe()
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
    self.output = output.fileHandleForReading
    folder = try PostgresServer.line(from: self.output)
    socketFolder = folder
  }

  private static func line(from file: FileHandle) throws -> String {
    var line = Data()
    while line.last != 10 {
      let byte = file.readData(ofLength: 1)
      if byte.isEmpty { throw Failure(description: "the server did not start") }
      line += byte
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// Stops the server and removes its folder.
  package func stop() {
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  package var parameters: ConnectionParameters {
    var parameters = ConnectionParameters()
    parameters["host"] = socketFolder
    parameters["dbname"] = "postgres"
    parameters["user"] = "postgres"
    return parameters
  }

  package func connect(
    _ configure: (inout ConnectionOptions) -> Void = { _ in }
  ) throws -> PostgresConnection {
    var options = ConnectionOptions()
    configure(&options)
    return try PostgresConnection(parameters, options: options)
  }

  /// A connection to a schema of its own, in which names need no prefix.
  package func connectToNewSchema(
    _ configure: (inout ConnectionOptions) -> Void = { _ in }
  ) throws -> PostgresConnection {
    let name = "s" + UUID().uuidString.lowercased().filter { $0 != "-" }
    let connection = try connect(configure)
    try connection.execute("CREATE SCHEMA \(name); SET search_path = \(name)")
    return connection
  }

  /// The address of a new schema, in which names need no prefix.
  package func addressOfNewSchema() throws -> String {
    let name = "s" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try connect().execute("CREATE SCHEMA \(name)")
    return "host=\(socketFolder) user=postgres dbname=postgres options='-c search_path=\(name)'"
  }

  // MARK: Disturbances

  package var process: Int32 {
    let text = try? String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
    return text?.split(separator: "\n").first.flatMap { Int32($0) } ?? 0
  }

  /// Restarts the server. The shell does it: a server that inherits the descriptors of a `Process` of
  /// Foundation keeps `waitUntilExit` waiting.
  package func restart(_ mode: String = "fast") throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(mode)\n".utf8))
    guard try PostgresServer.line(from: output) == "0" else {
      throw Failure(description: "pg_ctl restart failed")
    }
  }

  /// Ends all connections of clients, as an administrator may.
  package func endConnections() throws {
    try connect().execute(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
      """)
  }

  /// Runs a command of the shell's script.
  func run(_ command: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
    guard try PostgresServer.line(from: output) == "0" else {
      throw Failure(description: "\(command) failed; the logs are in \(folder)")
    }
  }

  /// PgBouncer; `nil` if it is not installed. The environment may name it, and a folder with its
  /// libraries.
  package static let pooler: String? = {
    let named = ProcessInfo.processInfo.environment["OPENSWIFTDATA_PGBOUNCER"]
    let paths = [named, "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"]
    return paths.compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Whether tests with PgBouncer can run. Prints a line if they cannot.
  package static let hasPooler: Bool = {
    if pooler != nil { return true }
    print("PgBouncer is not installed: its tests are SKIPPED.")
    return false
  }()

  /// Starts PgBouncer, which lends its two connections for a transaction at a time.
  /// - Returns: Its address.
  package func startPooler() throws -> ConnectionParameters {
    try input.fileHandleForWriting.write(
      contentsOf: Data("pooler \(PostgresServer.pooler ?? "")\n".utf8))
    guard try PostgresServer.line(from: output) == "0" else {
      throw Failure(description: "PgBouncer did not start")
    }
    var parameters = parameters
    parameters["port"] = "6432"
    return parameters
  }

  /// Stops the server's processes, as a frozen machine would.
  package func pause(_ connections: PostgresConnection...) {
    kill(process, SIGSTOP)
    for connection in connections { kill(connection.serverProcess, SIGSTOP) }
  }

  package func resume(_ processes: [Int32]) {
    kill(process, SIGCONT)
    for process in processes { kill(process, SIGCONT) }
  }
}
