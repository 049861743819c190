import GatewayBase

extension ValueType where Value == StoreAddress {
  static var storeURL: ValueType {
    let form = "sqlite:path or mariadb://user@host:3306/database"
    return ValueType(shape: .text(form: form, pattern: TextPattern.storeURL)) { node, diagnostics in
      guard let (text, _) = diagnostics.scalar(node, due: form) else { return nil }
      do throws(StoreAddress.Problem) {
        return try StoreAddress(
          text, name: { HostName(international: $0) }, resolve: { diagnostics.resolved($0, at: node.place) })
      } catch {
        let fault = error.fault
        diagnostics.error(fault.code, at: node.place, fault.message, hint: fault.hint)
        return nil
      }
    }
  }
}

extension StoreAddress.Problem {
  fileprivate var fault: ValueFault {
    let form = "write mariadb://user@host:3306/database"
    return switch self {
    case .scheme: ValueFault("the store's URL has another scheme", hint: "write sqlite:path or mariadb://…")
    case .file: ValueFault("the store's URL holds no plain path", hint: "write sqlite:var/gateway.db")
    case .url(let problem): problem.fault(form: form)
    case .user: ValueFault("the store's URL names no plain user", hint: form)
    case .password:
      ValueFault(
        "a password in the store's URL", hint: "\(form), and give the password by passwordEnv or passwordFile",
        code: .plainSecret)
    case .database: ValueFault("the store's URL names no plain database", hint: form)
    case .option:
      ValueFault(
        "the store's URL has an option that it can't have",
        hint: "there are ?socket=PATH, ?tls=required and ?tls=required&ca=FILE")
    }
  }
}
