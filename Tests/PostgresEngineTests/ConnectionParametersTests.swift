import OpenSwiftDataPostgresEngine
import Testing

struct ConnectionParametersTests {
  @Test func aURLAndKeywordsGiveTheSameParameters() throws {
    let url = try ConnectionParameters(
      "postgresql://ann:pa%2Fss@db.example:5433/shop?sslmode=verify-full&application_name=x")
    let words = try ConnectionParameters(
      "user=ann password='pa/ss' host=db.example port=5433 dbname=shop sslmode=verify-full")
    for keyword in ["user", "password", "host", "port", "dbname", "sslmode"] {
      #expect(url[keyword] == words[keyword])
      #expect(url[keyword] != nil)
    }
    #expect(url["application_name"] == "x")
    #expect(url["sslrootcert"] == nil)
  }

  @Test func descriptionsAndDumpsHaveNoPassword() throws {
    let parameters = try ConnectionParameters("postgresql://ann:s3cret@db.example:5433/shop")
    var dumped = ""
    dump(parameters, to: &dumped)
    for text in [parameters.description, String(reflecting: parameters), "\(parameters)", dumped] {
      #expect(!text.contains("s3cret"))
      #expect(text.contains("shop"))
      #expect(text.contains("db.example:5433"))
    }
  }

  @Test(arguments: [
    "postgresql://ann:s3c/ret@host/db", "postgresql://ann:s3c?ret@host/db",
    "postgresql://ann:s3c#ret@host/db", "postgresql://ann:s3c%zzret@host/db",
    "postgresql://ann:1234/s3cret@host/db", "postgresql://ann:s3c@ret@host/db",
    "password=s3c ret host=x", "password='s3cret", "s3cret", "postgresql://ann:p@host:s3cret/db",
    "host=x s3cret=y",
  ])
  func aMalformedTextIsRefusedWithoutItsParts(_ text: String) {
    let error = failure { _ = try ConnectionParameters(text) }
    #expect(error?.kind == .misuse)
    #expect(error?.description.contains("s3c") == false)
    #expect(error?.description.contains("ret@") == false)
    #expect(error?.description.contains("postgresql://user:password@host:port/database") == true)
  }

  @Test func aPercentSignThatIsNotEncodedIsNamed() {
    for user in ["ann:50%", "ann:5%x", "100%"] {
      let text = "postgresql://\(user)@host/db"
      #expect(failure { _ = try ConnectionParameters(text) }?.description.contains("%25") == true)
    }
    #expect(throws: Never.self) { try ConnectionParameters("postgresql://ann:50%25%2f@host/db") }
  }

  @Test func descriptionsNameTheDatabaseThatIsUsed() throws {
    var resolved = ConnectionParameters()
    for (keyword, value) in [
      ("dbname", "shop"), ("host", "db.example"), ("port", "5433"), ("user", "ann"),
    ] {
      resolved[keyword] = value
    }
    let empty = try ConnectionParameters("postgresql://")
    #expect(
      empty.description(resolved: resolved) == "the PostgreSQL database shop at db.example:5433")
    resolved["port"] = "5432"
    resolved["dbname"] = nil
    #expect(empty.description(resolved: resolved) == "the PostgreSQL database ann at db.example")
    #expect(
      try ConnectionParameters("host=db.example port=5432 dbname=shop user=ann").description
        == "the PostgreSQL database shop at db.example:5432 (user ann)")
    // The service says which database it is.
    #expect(
      try ConnectionParameters("service=good user=ann").description
        == "the PostgreSQL database of the service good (user ann)")
    #expect(
      try ConnectionParameters("service=good dbname=shop").description
        == "the PostgreSQL database shop of the service good")
  }

  @Test func aZeroByteIsRefused() {
    #expect(failure { _ = try ConnectionParameters("host=x\0y") }?.kind == .misuse)
    var parameters = ConnectionParameters()
    parameters["host"] = "a\0b"
    #expect(failure { _ = try PostgresConnection(parameters) }?.kind == .misuse)
  }

  /// Not by connections, because libpq refuses the parameter before version 16.
  @Test func addressesOfAHostAreTriedInRandomOrderIfTheLoadIsBalanced() throws {
    let addresses = (1...8).map { "10.0.0.\($0)" }
    var parameters = ConnectionParameters()
    parameters["host"] = "db.example"
    func attempts() throws -> [ConnectionParameters] {
      try parameters.addressAttempts(resolved: parameters) { _ in addresses }
    }
    #expect(try attempts().map { $0["hostaddr"] } == addresses)
    #expect(try attempts().allSatisfy { $0["host"] == "db.example" })
    parameters["load_balance_hosts"] = "disable"
    #expect(try attempts().map { $0["hostaddr"] } == addresses)
    parameters["load_balance_hosts"] = "random"
    let first = try Set((0..<200).map { _ in try attempts().first?["hostaddr"] })
    #expect(first.count > 1)
    #expect(try attempts().compactMap { $0["hostaddr"] }.sorted() == addresses)
  }
}
