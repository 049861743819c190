import GatewayBase
import GatewayCrypto
import GatewayIO

// What a token needs before its request can go on, on a pool thread and once for all requests that wait: one that is not
// remembered has its signature checked, and one whose assertion has aged gets another.
extension Worker {
  func verify(_ exchange: Handle, _ token: [UInt8], _ digest: SHA256Digest) {
    if verifying.value[digest] != nil {
      verifying.value[digest]?.append(exchange)
      return
    }
    verifying.value[digest] = [exchange]
    let (authority, mailbox, now) = (context.tokens, mailbox, loop.clock.unix)
    do throws(BlockingPool.Failure) {
      try context.pool.submit {
        let version = authority.revocationVersion
        let admission = authority.admit(token, now: now)
        let assertion = admission.flatMap { authority.assertion(for: $0, now: now) }
        mailbox.post { $0.verified(digest, admission, assertion, judgedAt: version) }
      }
    } catch {
      verifying.value[digest] = nil
      refuse(exchange, .overloaded)
    }
  }

  private func verified(
    _ digest: SHA256Digest, _ admission: Admission?, _ assertion: BackendAssertion?, judgedAt version: UInt64
  ) {
    let waiting = verifying.value.removeValue(forKey: digest) ?? []
    var token: RememberedToken?
    if let admission, let assertion {
      token = RememberedToken(admission, assertion, judgedAt: version)
    }
    if let token {
      counters.tokensAdmitted.increment()
      memory.value.remember(token, as: digest)
    } else {
      counters.tokensRefused.increment()
      memory.value.forget(digest)
    }
    goOn(waiting, holding: token)
  }

  func renew(_ exchange: Handle, _ token: RememberedToken) {
    let id = ObjectIdentifier(token)
    if renewing.value[id] != nil {
      renewing.value[id]?.waiting.append(exchange)
      return
    }
    renewing.value[id] = TokenRenewal(token: token, waiting: [exchange])
    let (authority, mailbox, now, admission) = (context.tokens, mailbox, loop.clock.unix, token.admission)
    do throws(BlockingPool.Failure) {
      try context.pool.submit {
        let assertion = authority.assertion(for: admission, now: now)
        mailbox.post { $0.renewed(id, assertion, for: admission) }
      }
    } catch {
      renewing.value[id] = nil
      refuse(exchange, .overloaded)
    }
  }

  private func renewed(_ id: ObjectIdentifier, _ assertion: BackendAssertion?, for admission: Admission) {
    guard let renewal = renewing.value.removeValue(forKey: id) else { return }
    if let assertion { renewal.token.renew(assertion, for: admission) }
    goOn(renewal.waiting, holding: assertion == nil ? nil : renewal.token)
  }

  /// Judges the heads that waited again, or refuses their requests where there is no good token.
  private func goOn(_ waiting: [Handle], holding token: RememberedToken?) {
    for exchange in waiting where exchanges.contains(exchange) {
      let client = exchanges[exchange].client
      if let token { judge(exchange, holding: token) } else { refuse(exchange, .invalidToken) }
      driveClient(client)
    }
  }
}

/// A token for which an assertion is being signed, and the exchanges that wait for it. It holds the token, so that no
/// other comes to its address meanwhile.
struct TokenRenewal {
  let token: RememberedToken
  var waiting: [Handle]
}
