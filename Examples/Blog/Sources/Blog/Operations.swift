import Foundation
import Hummingbird

/// What the operator of the server asks: is it alive, is it ready, what does it measure.
struct Operations {
  let blog: Blog
  let registry: MetricsRegistry

  func add(to router: Router<BlogContext>) {
    // Alive: answers without the store, so that a busy store restarts no process. `StoreWatch` ends a server
    // that cannot use its store any more.
    router.get("healthz") { _, _ in "ok\n" }
    // Ready: the store can be read.
    router.get("readyz") { [blog] _, _ -> Response in
      do {
        try await blog.check()
        return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "ready\n")))
      } catch {
        return Response(status: .serviceUnavailable)
      }
    }
    router.get("metrics") { [registry] _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text)))
    }
  }
}

enum Pages {
  static func add(to router: Router<BlogContext>) throws {
    guard let file = Bundle.module.url(forResource: "blog", withExtension: "html") else {
      throw CocoaError(.fileNoSuchFile)
    }
    let page = ByteBuffer(bytes: try Data(contentsOf: file))
    router.get("/") { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: "text/html; charset=utf-8",
          .contentSecurityPolicy:
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
        ], body: ResponseBody(byteBuffer: page))
    }
  }
}
