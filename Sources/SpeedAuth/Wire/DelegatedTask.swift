#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// One request on a session of its own. There a task that has a completion handler asks no delegate about redirects, and
  /// sends the token along to wherever an answer points; one that tells its delegate everything asks.
  ///
  /// `@unchecked Sendable` holds: the session calls its delegate on one queue, one call after another, and the rest is
  /// set before the task starts.
  final class DelegatedTask: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let request: URLRequest
    private let redirects: RedirectGuard
    private let configuration: URLSessionConfiguration
    private var continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>?
    private var data = Data()

    init(_ request: URLRequest, _ rule: RedirectRule, _ configuration: URLSessionConfiguration) {
      self.request = request
      self.configuration = configuration
      redirects = RedirectGuard(rule)
    }

    func answer() async throws -> (Data, HTTPURLResponse) {
      let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      // The session keeps its delegate until it has been ended.
      defer { session.finishTasksAndInvalidate() }
      let task = session.dataTask(with: request)
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          self.continuation = continuation
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { self.data += data }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(redirects.next(request, after: response))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let error {
        continuation?.resume(throwing: error)
      } else if let response = task.response as? HTTPURLResponse {
        continuation?.resume(returning: (data, response))
      } else {
        continuation?.resume(throwing: URLError(.badServerResponse))
      }
      continuation = nil
    }
  }
#endif
