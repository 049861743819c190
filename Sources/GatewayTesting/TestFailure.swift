/// Why a helper of the tests gave up: one sentence that ends in the test's report.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
