import ProviderKit

/// The page with Apple's own button, for apps whose page opens a window of its own: Apple's script asks in a popup, and
/// what it brings is posted to the callback as a redirect would post it.
enum ApplePage {
  private static let scriptOrigin = "https://appleid.cdn-apple.com"
  private static let script = scriptOrigin + "/appleauth/static/jsapi/appleid/1/en_US/appleid.auth.js"

  static func step(_ request: WebSignInRequest, client: String) -> WebStep {
    let nonce = request.scriptNonce
    let html: HTML = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Sign in to \(request.app.name)</title>
      <style nonce="\(nonce)">
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 17px system-ui, sans-serif }
        main { width: 280px; text-align: center }
        #appleid-signin { height: 44px; cursor: pointer }
      </style>
      <main>
        <h1>\(request.app.name)</h1>
        <div id="appleid-signin" data-color="black" data-border="true" data-type="sign in"></div>
        <noscript>Signing in needs JavaScript.</noscript>
      </main>
      <form id="answer" method="post" action="\(request.callbackURL)"></form>
      <script nonce="\(nonce)" src="\(script)"></script>
      <script nonce="\(nonce)">
        const state = \(script: request.state);
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
        AppleID.auth.init({
          clientId: \(script: client), scope: "name email", redirectURI: \(script: request.callbackURL), state,
          nonce: \(script: request.nonce), usePopup: true,
        });
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
}
