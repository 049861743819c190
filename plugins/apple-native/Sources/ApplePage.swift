import ProviderKit

/// The page with Apple's own button, for apps whose page opens a window of its own: Apple's script asks in a popup, and
/// what it brings is posted to the callback as a redirect would post it.
enum ApplePage {
  private static let scriptOrigin = "https://appleid.cdn-apple.com"
  private static let script = scriptOrigin + "/appleauth/static/jsapi/appleid/1/en_US/appleid.auth.js"

  static func step(_ request: WebSignInRequest, client: String) -> WebStep {
    let nonce = escaped(request.scriptNonce)
    let settings = [
      ("clientId", client), ("scope", "name email"), ("redirectURI", request.callbackURL), ("state", request.state),
      ("nonce", request.nonce),
    ].map { "\($0): \(quoted($1))" }.joined(separator: ", ")
    let html = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Sign in to \(escaped(request.app.name))</title>
      <style nonce="\(nonce)">
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 17px system-ui, sans-serif }
        main { width: 280px; text-align: center }
        #appleid-signin { height: 44px; cursor: pointer }
      </style>
      <main>
        <h1>\(escaped(request.app.name))</h1>
        <div id="appleid-signin" data-color="black" data-border="true" data-type="sign in"></div>
        <noscript>Signing in needs JavaScript.</noscript>
      </main>
      <form id="answer" method="post" action="\(escaped(request.callbackURL))"></form>
      <script nonce="\(nonce)" src="\(script)"></script>
      <script nonce="\(nonce)">
        const state = \(quoted(request.state));
        function answer(fields) {
          const form = document.getElementById("answer");
          for (const [name, value] of Object.entries(fields)) {
            if (value === undefined) continue;
            const field = document.createElement("input");
            field.type = "hidden";
            field.name = name;
            field.value = value;
            form.append(field);
          }
          form.submit();
        }
        AppleID.auth.init({ \(settings), usePopup: true });
        document.addEventListener("AppleIDSignInOnSuccess", (event) => {
          const { authorization, user } = event.detail;
          answer({
            state, code: authorization.code, id_token: authorization.id_token,
            user: user && JSON.stringify(user),
          });
        });
        document.addEventListener("AppleIDSignInOnFailure", () => {
          answer({ state, error: "user_cancelled_authorize" });
        });
      </script>
      </html>

      """
    return .page(html: html, scriptOrigin: scriptOrigin)
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.append(character)
      }
    }
  }

  /// A string of JavaScript. Anything that could end it or the script is written as an escape.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.utf16.map { unit in
        switch unit {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(UInt8(unit)))
        default: "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
        }
      }.joined() + "\""
  }
}
