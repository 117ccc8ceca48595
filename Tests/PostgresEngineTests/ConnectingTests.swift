import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct ConnectingTests {
  let server: PostgresServer

  init() throws {
    server = try PostgresServer.shared
  }

  @Test func aURLLeadsToTheServer() throws {
    let path = server.socketFolder.replacing("/", with: "%2F")
    let parameters = try ConnectionParameters("postgresql://postgres@\(path)/postgres")
    let connection = try PostgresConnection(parameters)
    #expect(connection.isOpen)
    #expect(connection.serverVersion >= 120_000)
    #expect(connection.serverProcess > 0)
    #expect(connection.reportedSetting("server_encoding") == "UTF8")
    #expect(!connection.usesTLS)
    connection.close()
    #expect(failure { try connection.execute("SELECT 1") }?.kind == .connection)
  }

  @Test func aWrongPasswordIsRefusedForGood() throws {
    let admin = try server.connect()
    let exists = try admin.integer("SELECT count(*) FROM pg_database WHERE datname = 'protected'")
    if exists == 0 {
      try admin.execute("CREATE ROLE guarded LOGIN PASSWORD 's3cret-right'")
      try admin.execute("CREATE DATABASE protected")
    }
    var parameters = server.parameters
    parameters["dbname"] = "protected"
    parameters["user"] = "guarded"
    parameters["password"] = "s3cret-right"
    #expect(try PostgresConnection(parameters).integer("SELECT 1") == 1)
    parameters["password"] = "s3cret-wrong"
    let wrong = failure { _ = try PostgresConnection(parameters) }
    #expect(wrong?.kind == .connection)
    #expect(wrong?.state == "28P01")
    #expect(wrong?.repetition == .never)
    #expect(wrong?.description.contains("s3cret") == false)
    #expect(wrong?.description.contains("guarded") == true)
    parameters["password"] = nil
    let missing = failure { _ = try PostgresConnection(parameters) }
    #expect(missing?.description.contains("PGPASSWORD") == true)
    #expect(missing?.repetition == .never)
  }

  @Test func aMissingDatabaseIsNamed() {
    var parameters = server.parameters
    parameters["dbname"] = "nowhere"
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(error?.state == "3D000")
    #expect(error?.repetition == .never)
    #expect(error?.description.contains("nowhere") == true)
  }

  @Test func theNextHostIsTriedAfterOneThatRefuses() throws {
    var parameters = server.parameters
    parameters["host"] = "/nonexistent,\(server.socketFolder)"
    #expect(try PostgresConnection(parameters).integer("SELECT 1") == 1)
    parameters["host"] = "/nonexistent,/absent"
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(error?.kind == .connection)
    #expect(error?.repetition == .onNewConnection)
    #expect(error?.description.contains("/nonexistent") == true)
    #expect(error?.description.contains("/absent") == true)
  }

  @Test func theNextHostIsTriedAfterOneThatIsSilent() throws {
    let silent = try FakeServer { _ in Thread.sleep(forTimeInterval: 20) }
    var parameters = server.parameters
    parameters["host"] = "127.0.0.1,\(server.socketFolder)"
    parameters["port"] = "\(silent.port),5432"
    parameters["connect_timeout"] = "1"
    var connection: PostgresConnection?
    let duration = try time { connection = try PostgresConnection(parameters) }
    #expect(try connection?.integer("SELECT 1") == 1)
    #expect(duration > .milliseconds(900) && duration < .seconds(8))
  }

  @Test func theNextAddressOfAHostIsTriedAfterOneThatIsSilent() throws {
    let arrivals = Collected<Int>()
    let fake = try FakeServer { client in
      arrivals.add(1)
      if arrivals.all.count == 1 { return Thread.sleep(forTimeInterval: 20) }
      client.accept()
      client.receive()
    }
    var parameters = fake.parameters
    parameters["host"] = "db.example"
    parameters["connect_timeout"] = "4"
    var options = ConnectionOptions()
    options.lookUp = { name in name == "db.example" ? ["127.0.0.1", "127.0.0.1"] : [] }
    var connection: PostgresConnection?
    let duration = try time {
      connection = try PostgresConnection(parameters, options: options)
    }
    #expect(connection?.isOpen == true)
    // The addresses share the limit of the host.
    #expect(duration > .milliseconds(1_900) && duration < .seconds(10))
  }

  @Test func theNextAddressOfAHostIsTriedAfterOneThatRefuses() throws {
    let arrivals = Collected<Int>()
    let fake = try FakeServer { client in
      arrivals.add(1)
      if arrivals.all.count == 1 { return }
      client.accept()
      client.receive()
    }
    var parameters = fake.parameters
    parameters["host"] = "db.example"
    var options = ConnectionOptions()
    options.lookUp = { _ in ["127.0.0.1", "127.0.0.1"] }
    #expect(try PostgresConnection(parameters, options: options).isOpen)
    #expect(arrivals.all.count == 2)
  }

  @Test func aHostThatRefusesForGoodIsAskedAtOneAddress() throws {
    let arrivals = Collected<Int>()
    let fake = try FakeServer { client in
      arrivals.add(1)
      client.receive()
      client.send("E", Array("SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0".utf8))
    }
    var parameters = fake.parameters
    parameters["host"] = "db.example"
    var options = ConnectionOptions()
    options.lookUp = { _ in ["127.0.0.1", "127.0.0.1"] }
    let error = failure { _ = try PostgresConnection(parameters, options: options) }
    #expect(error?.state == "28P01")
    #expect(error?.repetition == .never)
    #expect(arrivals.all.count == 1)
  }

  @Test func onlyNamesOfHostsAreLookedUp() throws {
    let names = Collected<String>()
    var options = ConnectionOptions()
    options.lookUp = {
      names.add($0)
      return [$0]
    }
    #expect(try PostgresConnection(server.parameters, options: options).isOpen)
    let fake = try FakeServer { client in
      client.accept()
      client.receive()
    }
    // The address is given, also for one of several hosts.
    var parameters = fake.parameters
    parameters["host"] = "db.example"
    parameters["hostaddr"] = "127.0.0.1"
    #expect(try PostgresConnection(parameters, options: options).isOpen)
    parameters["host"] = "/nonexistent,db.example"
    parameters["hostaddr"] = ",127.0.0.1"
    #expect(try PostgresConnection(parameters, options: options).isOpen)
    #expect(names.all.isEmpty)
    // An address in place of a name stays as it is.
    #expect(try PostgresConnection(fake.parameters, options: options).isOpen)
    #expect(names.all == ["127.0.0.1"])
  }

  @Test func aHostWithoutAddressIsNamedAndTheNextOneIsTried() throws {
    var parameters = server.parameters
    parameters["host"] = "no..host"
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(error?.kind == .connection)
    #expect(error?.repetition == .onNewConnection)
    #expect(error?.message.contains("could not translate host name \"no..host\"") == true)
    parameters["host"] = "no..host,\(server.socketFolder)"
    #expect(try PostgresConnection(parameters).integer("SELECT 1") == 1)
  }

  @Test func aSilentServerIsGivenUpAfterTheTimeLimit() throws {
    let silent = try FakeServer { _ in Thread.sleep(forTimeInterval: 20) }
    var options = ConnectionOptions()
    options.connectTimeout = .milliseconds(300)
    var error: PostgresError?
    let duration = time {
      error = failure { _ = try PostgresConnection(silent.parameters, options: options) }
    }
    #expect(error?.kind == .timeout)
    #expect(error?.repetition == .onNewConnection)
    #expect(duration < .seconds(8))
  }

  @Test func theKindOfServerIsChecked() throws {
    var parameters = server.parameters
    parameters["target_session_attrs"] = "standby"
    #expect(failure { _ = try PostgresConnection(parameters) }?.kind == .connection)
    parameters["target_session_attrs"] = "prefer-standby"
    #expect(try PostgresConnection(parameters).integer("SELECT 1") == 1)
    parameters["target_session_attrs"] = "read-write"
    #expect(try PostgresConnection(parameters).integer("SELECT 1") == 1)
  }

  @Test func aServerWithoutTLSIsRefusedWhereTLSIsRequired() throws {
    let plain = try FakeServer { client in
      // The answer to a request for TLS.
      _ = client.receive()
      client.send([UInt8(ascii: "N")])
    }
    var parameters = plain.parameters
    parameters["sslmode"] = "require"
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(error?.kind == .connection)
    #expect(error?.description.contains("SSL") == true)
  }

  @Test func aPoolerThatDemandsTLSIsNotAskedAgain() throws {
    let pooler = try FakeServer { client in
      client.receive()
      client.send("E", Array("SFATAL\0C08P01\0MSSL required\0\0".utf8))
    }
    let error = failure { _ = try PostgresConnection(pooler.parameters) }
    #expect(error?.repetition == .never)
    #expect(error?.description.contains("sslmode") == true)
  }

  /// libpq tries without encryption first, then with it.
  /// - Parameter refusals: The states and texts of the answers to both.
  private func refusal(
    ofAttempts refusals: [(state: String, text: String)]
  ) throws -> PostgresError? {
    let arrivals = Collected<Int>()
    let server = try FakeServer { client in
      arrivals.add(1)
      let refusal = refusals[min(arrivals.all.count, refusals.count) - 1]
      // The request for encryption is declined.
      if client.receive().count == 8 {
        client.send([UInt8(ascii: "N")])
        client.receive()
      }
      client.send(
        "E", Array("SFATAL\0VFATAL\0C\(refusal.state)\0M\(refusal.text)\0\0".utf8))
    }
    var parameters = server.parameters
    parameters["sslmode"] = "allow"
    let error = failure { _ = try PostgresConnection(parameters) }
    #expect(arrivals.all.count == 2)
    return error
  }

  @Test func anAttemptThatMayPassDecidesWhetherToTryAgain() throws {
    let (never, later) = (("28000", "no pg_hba.conf entry"), ("53300", "too many clients"))
    for refusals in [[never, later], [later, never]] {
      let error = try refusal(ofAttempts: refusals)
      #expect(error?.state == .tooManyConnections)
      #expect(error?.repetition == .onNewConnection)
      for refusal in refusals { #expect(error?.message.contains(refusal.1) == true) }
      #expect(error?.message.contains("53300") == false)
    }
    let refused = try refusal(ofAttempts: [never, ("28P01", "wrong password")])
    #expect(refused?.state == "28000")
    #expect(refused?.repetition == .never)
    #expect(refused?.message.contains("wrong password") == true)
  }

  /// A name may contain the words of a refusal.
  @Test func aServerThatIsDownCanBeTriedAgainWhateverItsName() {
    for host in ["/nonexistent/certificate", "/nonexistent/private key"] {
      var parameters = server.parameters
      parameters["host"] = host
      #expect(failure { _ = try PostgresConnection(parameters) }?.repetition == .onNewConnection)
    }
  }

  @Test func anUnknownParameterIsRefused() {
    var parameters = server.parameters
    parameters["no_such_parameter"] = "1"
    #expect(failure { _ = try PostgresConnection(parameters) }?.kind == .connection)
  }

  /// A pooler may lend the session of one to the other.
  @Test func statementsOfTwoConnectionsHaveDifferentNames() throws {
    let names = try (0..<2).map { _ in
      let connection = try server.connect()
      return try connection.prepare("SELECT name FROM pg_prepared_statements").values()
    }
    #expect(names[0].count == 1 && names[1].count == 1)
    #expect(names[0] != names[1])
  }
}
