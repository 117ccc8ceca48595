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

  private func list(_ keyword: String) -> [String] {
    guard let value = self[keyword], !value.isEmpty else { return [] }
    return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}
