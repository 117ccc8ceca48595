extension ConnectionParameters {
  /// One copy for each host, so that each has a time limit of its own: libpq has one for all hosts
  /// unless it connects with a blocking call.
  ///
  /// `prefer-standby` takes any server if no host is a standby, so all hosts are tried twice.
  /// - Parameter resolved: The parameters with those of the environment and of service files.
  func attempts(resolved: ConnectionParameters) -> [ConnectionParameters] {
    let hosts = resolved.list("host")
    let addresses = resolved.list("hostaddr")
    let count = max(hosts.count, addresses.count)
    var attempts = [self]
    if count > 1 {
      let ports = resolved.list("port")
      attempts = (0..<count).map { index in
        var one = self
        if !hosts.isEmpty { one["host"] = index < hosts.count ? hosts[index] : "" }
        if !addresses.isEmpty { one["hostaddr"] = index < addresses.count ? addresses[index] : "" }
        // One port is for all hosts.
        if !ports.isEmpty {
          one["port"] = ports.count == 1 ? ports[0] : ports[min(index, ports.count - 1)]
        }
        return one
      }
    }
    if resolved["load_balance_hosts"] == "random" { attempts.shuffle() }
    guard resolved["target_session_attrs"] == "prefer-standby" else { return attempts }
    return ["standby", "any"].flatMap { wanted in
      attempts.map {
        var one = $0
        one["target_session_attrs"] = wanted
        return one
      }
    }
  }

  /// One copy for each address of the host of an attempt, so that a silent address leaves time for the next one:
  /// libpq waits for it without a limit unless it connects with a blocking call.
  ///
  /// The copies keep the name of the host, with which libpq checks certificates. Sockets, and hosts whose
  /// addresses are given, are left to libpq.
  /// - Parameters:
  ///   - resolved: The parameters with those of the environment and of service files.
  ///   - lookUp: Returns the addresses of a host name.
  package func addressAttempts(
    resolved: ConnectionParameters, _ lookUp: (String) throws -> [String]
  ) throws -> [ConnectionParameters] {
    let host = self["host"] ?? resolved["host"] ?? ""
    let address = self["hostaddr"] ?? resolved["hostaddr"] ?? ""
    guard address.isEmpty, let start = host.first, start != "/", start != "@" else { return [self] }
    var addresses = try lookUp(host)
    // The manual of libpq: hosts are tried in random order, and so are the addresses of each.
    if resolved["load_balance_hosts"] == "random" { addresses.shuffle() }
    if addresses.isEmpty || addresses == [host] { return [self] }
    return addresses.map {
      var one = self
      one["hostaddr"] = $0
      return one
    }
  }

  private func list(_ keyword: String) -> [String] {
    guard let value = self[keyword], !value.isEmpty else { return [] }
    return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}
