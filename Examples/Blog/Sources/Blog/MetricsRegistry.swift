import CoreMetrics
import Synchronization

/// Keeps metrics in memory and writes them in the text format of Prometheus.
///
/// A small backend for swift-metrics, so that the example needs no more packages. A server in production
/// takes swift-prometheus or an exporter of OpenTelemetry in its place: only the bootstrap changes.
final class MetricsRegistry: MetricsFactory, Sendable {
  private let metrics = Mutex<[String: Metric]>([:])

  /// All metrics, sorted by name.
  var text: String {
    let metrics = metrics.withLock { $0 }
    return metrics.sorted { $0.key < $1.key }.map { $0.value.lines(named: $0.key) }.joined()
  }

  private func metric(
    _ label: String, _ dimensions: [(String, String)], _ kind: Metric.Kind
  ) -> Metric {
    let pairs = dimensions.map {
      "\(MetricsRegistry.name($0.0))=\"\(MetricsRegistry.escaped($0.1))\""
    }
    let labels = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    let key = MetricsRegistry.name(label) + labels
    return metrics.withLock { metrics in
      let metric = metrics[key] ?? Metric(kind)
      metrics[key] = metric
      return metric
    }
  }

  /// A name of letters, digits and underscores.
  private static func name(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private static func escaped(_ value: String) -> String {
    value.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : $0 == "\n" ? "\\n" : "\($0)" }.joined()
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    metric(label, dimensions, .counter)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    metric(label, dimensions, .gauge)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    metric(label, dimensions, aggregate ? .summary : .gauge)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metric(label, dimensions, .timer)
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

/// One metric: its last value, or the number and the sum of its values.
private final class Metric: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
  enum Kind { case counter, gauge, summary, timer }

  private struct State {
    var value = 0.0
    var count = 0
  }

  private let kind: Kind
  private let state = Mutex(State())

  init(_ kind: Kind) { self.kind = kind }

  func lines(named key: String) -> String {
    let state = state.withLock { $0 }
    let name = key.prefix { $0 != "{" }
    let labels = key.dropFirst(name.count)
    return switch kind {
    case .counter, .gauge: "\(key) \(state.value)\n"
    case .summary: "\(name)_sum\(labels) \(state.value)\n\(name)_count\(labels) \(state.count)\n"
    case .timer:
      "\(name)_seconds_sum\(labels) \(state.value / 1e9)\n"
        + "\(name)_seconds_count\(labels) \(state.count)\n"
    }
  }

  private func add(_ value: Double) {
    state.withLock { state in
      state.value += value
      state.count += 1
    }
  }

  func increment(by amount: Int64) { add(Double(amount)) }
  func increment(by amount: Double) { add(amount) }
  func decrement(by amount: Double) { add(-amount) }
  func reset() { state.withLock { $0 = State() } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.value = value } }
  func recordNanoseconds(_ duration: Int64) { add(Double(duration)) }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { kind == .gauge ? set(value) : add(value) }
}
