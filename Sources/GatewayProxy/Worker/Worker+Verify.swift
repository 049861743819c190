import GatewayBase
import GatewayCrypto
import GatewayIO

// Tokens that are not remembered: their signature is checked on a pool thread, once for all requests that wait.
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
        mailbox.post { $0.verified(digest, admission, judgedAt: version) }
      }
    } catch {
      verifying.value[digest] = nil
      refuse(exchange, .overloaded)
    }
  }

  private func verified(_ digest: SHA256Digest, _ admission: Admission?, judgedAt version: UInt64) {
    let waiting = verifying.value.removeValue(forKey: digest) ?? []
    let token = admission.map { RememberedToken($0, judgedAt: version) }
    if let token {
      counters.tokensAdmitted.increment()
      memory.value.remember(token, as: digest)
    } else {
      counters.tokensRefused.increment()
      memory.value.forget(digest)
    }
    for exchange in waiting where exchanges.contains(exchange) {
      let client = exchanges[exchange].client
      if let token { judge(exchange, holding: token) } else { refuse(exchange, .invalidToken) }
      driveClient(client)
    }
  }
}
