/// Why one side does not accept the encryption or the certificate of the other: another attempt can't help.
///
/// libpq reports these without a state, and a pooler with that of its protocol. What may pass, such as a
/// connection that is lost meanwhile, is none of them.
enum EncryptionRefusal {
  /// The server's certificate is not that of a known authority, of the host or of this time.
  case server
  /// There is no file with the authorities of the system.
  case systemAuthorities
  /// The file with the authorities can't be read.
  case authorities
  /// The files of the own certificate do not belong together, or the server refuses it.
  case client
  /// The sides have no version of TLS, or no cipher, in common.
  case versions
  /// A pooler demands encryption.
  case missing

  /// - Parameters:
  ///   - text: The text of libpq.
  ///   - state: The state that the server, or a pooler, has sent.
  init?(_ text: String, _ state: SQLState?) {
    // Names of hosts and files may be anything.
    let words = text.replacing(#/"[^"\n]*"/#, with: "")
    func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
    guard state == nil else {
      guard state?.category == "08", has("SSL required") else { return nil }
      self = .missing
      return
    }
    // A lack of descriptors or of memory passes.
    if has("Too many open files", "annot allocate memory", "out of memory") { return nil }
    if text.contains("root certificate file \"system\"") {
      self = .systemAuthorities
    } else if has("root certificate") {
      self = .authorities
    } else if has("certificate verify failed", "server certificate", "certificate could not be") {
      self = .server
    } else if has("alert protocol version", "unsupported protocol", "no protocols available")
      || has("alert handshake failure", "alert insufficient security", "SSL protocol version range")
    {
      self = .versions
    } else if has("certificate", "private key", "key values mismatch", "bad decrypt")
      || has("alert unknown ca", "alert access denied", "alert decrypt error")
    {
      self = .client
    } else {
      return nil
    }
  }

  /// What to do.
  var remedy: String {
    switch self {
    case .server:
      "sslrootcert must be the file of the authority that has signed the server's certificate. Check the dates of "
        + "the certificate, and with verify-full that it is for the host of the address."
    case .systemAuthorities:
      "sslrootcert=system needs libpq 16 or later. Name the file of the authority instead, such as "
        + "/etc/ssl/certs/ca-certificates.crt."
    case .authorities:
      "sslrootcert must be a readable file with the authority that has signed the server's certificate."
    case .client:
      "Check sslcert, sslkey and sslpassword: only its owner may read the key, it belongs to the certificate, "
        + "and the server trusts the authority of the certificate, which has not expired."
    case .versions:
      "ssl_min_protocol_version and ssl_max_protocol_version, of the address and of the server, must have a "
        + "version of TLS in common."
    case .missing:
      "The pooler demands encryption: set sslmode=verify-full, or another one from require on."
    }
  }
}
