import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Encrypted connections, with certificates of an authority that the test makes.
@Suite(.enabled(if: TLSServer.isAvailable))
struct PostgresTLSTests {
  @Test func onlyTheRightServerIsAccepted() throws {
    let server = try TLSServer()
    defer { server.stop() }
    func open(_ host: String, _ mode: String, _ authority: String) throws -> Int {
      let container = try ModelContainer(
        for: Victim.self,
        configurations: PostgresConfiguration(
          url: "postgresql://postgres@\(host):\(server.port)/postgres?sslmode=\(mode)"
            + "&sslrootcert=\(server.folder)/\(authority)&connect_timeout=5"))
      return try ModelContext(container).fetchCount(FetchDescriptor<Victim>())
    }
    func failure(_ host: String, _ mode: String, _ authority: String) -> String {
      do {
        _ = try open(host, mode, authority)
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    // The certificate is for localhost.
    #expect(try open("localhost", "verify-full", "ca.crt") == 0)
    // 127.0.0.1 is the same machine, but not the name in the certificate.
    #expect(failure("127.0.0.1", "verify-full", "ca.crt").contains("does not match host name"))
    #expect(try open("127.0.0.1", "verify-ca", "ca.crt") == 0)
    #expect(failure("localhost", "verify-full", "other.crt").contains("certificate verify failed"))
    // Without TLS the server refuses, because its pg_hba.conf has only hostssl.
    #expect(failure("localhost", "disable", "ca.crt").contains("no encryption"))
  }

  /// None of them is `unavailable`, as a server that is only down.
  @Test func aRefusalOfEncryptionSaysWhatToChange() throws {
    let server = try TLSServer()
    defer { server.stop() }
    for (host, parameters, advice) in [
      ("localhost", "sslmode=verify-full&sslrootcert=other.crt", "sslrootcert must be"),
      ("localhost", "sslmode=require&sslrootcert=other.crt", "sslrootcert must be"),
      ("127.0.0.1", "sslmode=verify-full&sslrootcert=ca.crt", "the host of the address"),
      ("localhost", "sslmode=verify-full&sslrootcert=missing.crt", "readable file"),
      ("localhost", "sslmode=verify-full&sslrootcert=system", "sslrootcert"),
      ("localhost", "sslmode=require&sslcert=ca.crt&sslkey=missing.key", "sslkey"),
      ("localhost", "sslmode=require&sslcert=ca.crt&sslkey=other.key", "sslkey"),
      ("localhost", "sslmode=require&ssl_max_protocol_version=TLSv1", "ssl_min_protocol_version"),
      (
        "localhost",
        "sslmode=require&ssl_min_protocol_version=TLSv1&ssl_max_protocol_version=TLSv1",
        "ssl_min_protocol_version"
      ),
    ] {
      let files = parameters.replacing(#/=(?=[a-z]+\.)/#, with: "=\(server.folder)/")
      let error = #expect(throws: SwiftDataError.self) {
        _ = try ModelContainer(
          for: Victim.self,
          configurations: PostgresConfiguration(
            url: "postgresql://postgres@\(host):\(server.port)/postgres?connect_timeout=5&\(files)")
        )
      }
      let text = error?.description ?? ""
      #expect(error?.reason == .other, "\(parameters): \(text)")
      #expect(text.contains(advice), "\(parameters): \(text)")
      #expect(!text.contains("try again") && !text.contains("cannot be understood"), "\(text)")
    }
  }

  @Test func aServerWithoutTLSIsRefused() throws {
    let server = try TLSServer(usesTLS: false)
    defer { server.stop() }
    do {
      _ = try ModelContainer(
        for: Victim.self,
        configurations: PostgresConfiguration(
          url: "postgresql://postgres@localhost:\(server.port)/postgres?sslmode=verify-full"
            + "&sslrootcert=\(server.folder)/ca.crt&connect_timeout=5"))
      Issue.record("connected without encryption")
    } catch let error as SwiftDataError {
      let text = error.description
      #expect(text.contains("server does not support SSL") && text.contains("sslmode"), "\(text)")
      #expect(!text.contains("repeat the whole transaction"), "\(text)")
      #expect(error.reason == .other)
    }
  }
}
