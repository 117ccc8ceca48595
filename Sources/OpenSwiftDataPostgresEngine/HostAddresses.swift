import Foundation

/// Looks up the addresses of host names with a blocking call of the system, which has a limit of its own.
enum HostAddresses {
  /// The numeric addresses of a host name, in the order in which the system wants them to be tried.
  /// - Throws: `PostgresError` of kind `connection`, if the name has no address.
  static let lookUp: @Sendable (String) throws -> [String] = { name in
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    var first: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(name, nil, &hints, &first)
    guard result == 0 else {
      let reason = String(cString: gai_strerror(result))
      throw PostgresError(
        .connection, "could not translate host name \"\(name)\" to address: \(reason)")
    }
    defer { freeaddrinfo(first) }
    var addresses: [String] = []
    var next = first
    while let info = next?.pointee {
      next = info.ai_next
      var text = [CChar](repeating: 0, count: 256)
      let size = socklen_t(text.count)
      guard getnameinfo(info.ai_addr, info.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0
      else { continue }
      let bytes = text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
      let address = String(decoding: bytes, as: UTF8.self)
      // The system lists each address for each type of socket.
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses
  }
}
