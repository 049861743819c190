import ProviderKit

/// What runs in the pages. All of it is there to help: without it every form but those of passkeys works as well. Nothing
/// is fetched; what a passkey brings goes into hidden fields of an ordinary form. Texts and challenges stand in `data-`
/// attributes, so the scripts are the same for everybody.
enum Scripts {
  /// Shows passwords on demand, and sends a form once: until the answer is there, or four seconds have passed, as a
  /// redirect to an app leaves the page where it is.
  static let common: HTML = """
    document.querySelectorAll(".eye").forEach(eye => {
      const field = eye.parentNode.querySelector("input");
      eye.hidden = false;
      eye.onclick = () => {
        const shown = field.type == "password";
        field.type = shown ? "text" : "password";
        eye.toggleAttribute("data-shown", shown);
        eye.setAttribute("aria-label", shown ? eye.dataset.hide : eye.dataset.show);
      };
      field.form.addEventListener("submit", () => { field.type = "password"; });
    });
    addEventListener("submit", event => {
      const form = event.target;
      if ("sent" in form.dataset) return event.preventDefault();
      form.dataset.sent = "";
      setTimeout(() => delete form.dataset.sent, 4000);
    });
    addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach(form => delete form.dataset.sent));

    """

  /// What both pages with passkeys need.
  private static let passkeys: HTML = """
    const bytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), sign => sign.charCodeAt());
    const text = buffer => btoa(Array.from(new Uint8Array(buffer), byte => String.fromCharCode(byte)).join(""))
      .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
    const form = document.getElementById("passkey");
    const failure = document.getElementById("passkey-failure");
    const able = window.PublicKeyCredential && navigator.credentials;
    const say = message => { failure.textContent = message; failure.hidden = !message; };
    const send = fields => {
      for (const name in fields) form.elements[name].value = fields[name];
      form.submit();
    };
    if (able) document.body.classList.add("passkeys");

    """

  /// Signs in with a passkey: by the button, and from the list that the browser shows at the field of the address, where
  /// it can. One request waits at a time: the button ends the other, and where it comes to nothing the list is back.
  static let signIn: HTML = """
    (() => {
    \(passkeys)
    let waiting;
    const ask = async mediation => {
      if (waiting) waiting.abort();
      waiting = new AbortController();
      const { id, response } = await navigator.credentials.get({
        mediation, signal: waiting.signal,
        publicKey: {
          challenge: bytes(form.dataset.challenge), rpId: form.dataset.party, userVerification: "required",
        },
      });
      send({
        passkey_id: id, client_data: text(response.clientDataJSON),
        authenticator_data: text(response.authenticatorData), signature: text(response.signature),
        user_handle: response.userHandle ? text(response.userHandle) : "",
      });
    };
    const list = async () => {
      const able = PublicKeyCredential.isConditionalMediationAvailable;
      if (able && await able.call(PublicKeyCredential)) await ask("conditional");
    };
    if (!able) return;
    form.addEventListener("submit", async event => {
      event.preventDefault();
      event.stopPropagation();
      say("");
      try { await ask("optional"); } catch (error) {
        say(form.dataset.failed);
        list().catch(() => {});
      }
    });
    list().catch(() => {});
    })();
    """

  /// Makes a passkey.
  static let register: HTML = """
    (() => {
    \(passkeys)
    if (!able) return;
    const data = form.dataset;
    form.addEventListener("submit", async event => {
      event.preventDefault();
      event.stopPropagation();
      say("");
      try {
        const { response } = await navigator.credentials.create({ publicKey: {
          challenge: bytes(data.challenge), rp: { id: data.party, name: "Speed" },
          user: { id: bytes(data.handle), name: data.user, displayName: data.person },
          pubKeyCredParams: [-7, -8, -257].map(alg => ({ type: "public-key", alg })),
          authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
          excludeCredentials: data.known.split(" ").filter(id => id).map(id => ({ type: "public-key", id: bytes(id) })),
          attestation: "none",
        } });
        send({ client_data: text(response.clientDataJSON), attestation: text(response.attestationObject) });
      } catch (error) {
        say(error.name == "InvalidStateError" ? data.exists : data.failed);
      }
    });
    })();
    """
}
