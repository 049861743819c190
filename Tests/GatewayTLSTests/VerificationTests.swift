import GatewayBase
import Testing

@testable import GatewayTLS

@Suite struct VerificationTests {
  private func client(_ trust: TLSTrust, _ host: String, _ files: Certificates.Files) throws -> Handshake {
    // No name is asked for where the host is an address, and the names of a backend are its own.
    try Scene([files], trust: trust).pair(host).shake().client
  }

  @Test("An authority of the backend's own is enough, by name and by address")
  func authority() throws {
    let files = try Certificates.shared()
    let trust = TLSTrust.file(files.authority.certificate)
    #expect(try client(trust, "backend.test", files.backend) == .done(.http1))
    #expect(try client(trust, "127.0.0.1", files.backend) == .done(.http1))
    #expect(try client(.file(files.backend.certificate), "backend.test", files.backend) == .done(.http1))
  }

  @Test("What does not hold is refused with the reason: self-signed, unknown issuer, expired, another host")
  func refused() throws {
    let files = try Certificates.shared()
    for (trust, host, served, reason) in [
      (TLSTrust.system, "a.test", files.a, "self-signed certificate"),
      (.system, "backend.test", files.backend, "unable to get local issuer certificate"),
      (.file(files.wild.certificate), "a.test", files.a, "self-signed certificate"),
      (.file(files.expired.certificate), "a.test", files.expired, "certificate has expired"),
      (.file(files.authority.certificate), "127.0.0.2", files.backend, "IP address mismatch"),
    ] {
      guard case .failed(let failure) = try client(trust, host, served) else {
        #expect(Bool(false), "\(reason)")
        continue
      }
      #expect(failure.description == "certificate verify failed: \(reason)")
    }
  }

  @Test("A certificate for another name is refused")
  func hostMismatch() throws {
    let files = try Certificates.shared()
    // The listener serves the name, but by a certificate that the client does not accept for it.
    let listener = try Scene([files.wild])
    let client = try TLSClientContext(trust: .file(files.wild.certificate), protocols: [.http1])
    let pair = try Pair(listener.listener, client, host: .address(#require(IPAddress("127.0.0.1"))))
    guard case .failed(let failure) = pair.shake().client else { return #expect(Bool(false)) }
    #expect(failure.description == "certificate verify failed: IP address mismatch")
  }

  @Test("Trust in anybody must be asked for, and then nothing is checked")
  func anyone() throws {
    #expect(try client(.anyone, "a.test", try Certificates.shared().expired) == .done(.http1))
  }

  @Test("A file of authorities that is none is a problem with its name")
  func badFile() throws {
    for path in ["/nonexistent/ca.pem", try Certificates.shared().a.key] {
      #expect { try TLSClientContext(trust: .file(path), protocols: [.http1]) } throws: {
        ($0 as? TLSProblem)?.file == path
      }
    }
  }
}
