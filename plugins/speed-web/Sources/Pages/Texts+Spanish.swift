extension Texts {
  static let spanish = Texts(
    common: Common(
      brand: "Cuenta de Speed",
      titleOfProblem: { "Error: \($0)" }, name: "Nombre", email: "Correo electrónico", password: "Contraseña",
      showPassword: "Mostrar contraseña", hidePassword: "Ocultar contraseña",
      passwordHint: {
        "Al menos \($0) caracteres. Varias palabras seguidas son fáciles de recordar y difíciles de adivinar."
      },
      or: "o", backToSignIn: "Volver al inicio de sesión", browserOnDevice: { "\($0) en \($1)" },
      unknownBrowser: "Navegador desconocido"),
    signIn: SignIn(
      heading: "Iniciar sesión", headingForApp: { "Continuar a \($0)" }, lead: "Con tu cuenta de Speed.",
      linkHeading: "Vincular tu cuenta de Speed",
      linkLead: { "Inicia sesión en la cuenta de Speed que quieras vincular a \($0)." },
      confirmHeading: "Confirma que eres tú", confirmLead: "Vuelve a iniciar sesión para continuar.",
      forgot: "¿Has olvidado la contraseña?", button: "Iniciar sesión", passkey: "Usar una llave de acceso",
      passkeyFailed: "No se ha usado la llave de acceso. Inténtalo de nuevo o inicia sesión con tu contraseña.",
      newHere: "¿Es tu primera vez en Speed?", create: "Crear cuenta"),
    signUp: SignUp(
      heading: "Crear tu cuenta de Speed", lead: "Una sola cuenta para todas las apps de Speed.",
      leadForApp: { "Después seguirás en \($0)." }, nameHint: "Es el nombre que verán las apps.",
      button: "Crear cuenta", haveOne: "¿Ya tienes una cuenta de Speed?", signIn: "Iniciar sesión"),
    codes: Codes(
      code: { "Código de \($0) dígitos" }, verifyHeading: "Revisa tu correo",
      sentTo: { "Hemos enviado un código a \($0). Escríbelo aquí o abre el enlace del correo." },
      sent: "Te hemos enviado un código. Escríbelo aquí o abre el enlace del correo.",
      verifyLinkHeading: "Confirmar tu correo electrónico",
      verifyLinkLead: "Un paso más y tu correo electrónico quedará confirmado.",
      verifyLinkLeadFor: { "Un paso más y \($0) quedará confirmado." }, verifyButton: "Confirmar",
      nothingCame: "¿No te ha llegado? Mira también en la carpeta de spam.", resend: "Enviar otro código",
      resetHeading: "Restablecer la contraseña",
      resetLead: "Escribe el correo electrónico de tu cuenta de Speed y te enviaremos un código.",
      resetButton: "Enviar código", newHeading: "Elegir una contraseña nueva",
      newSentTo: { "Si hay una cuenta de Speed con \($0), recibirás un código." },
      newSent: "Si hay una cuenta de Speed con ese correo, recibirás un código.",
      newLead: "A partir de ahora la usarás para entrar en tu cuenta de Speed.", firstHeading: "Elegir una contraseña",
      firstLead: "Has abierto el enlace en otro navegador. Por tu seguridad, elige aquí tu contraseña.",
      newPassword: "Contraseña nueva",
      newButton: "Guardar contraseña"),
    consent: Consent(
      heading: { "¿Continuar a \($0)?" }, shared: { "\($0) recibirá:" }, name: "Tu nombre", photo: "Tu foto",
      email: "Tu correo electrónico", promise: "Tu contraseña no sale de Speed.", allow: "Continuar",
      deny: "Cancelar", linkHeading: { "¿Vincular tu cuenta de Speed a \($0)?" },
      linkLead: { "Tu cuenta de \($0) usará el perfil y el saldo de esta cuenta de Speed." },
      linkAllow: "Vincular cuenta", signedInAs: "Has iniciado sesión como", otherAccount: "Usar otra cuenta"),
    account: Account(
      heading: "Tu cuenta de Speed", profile: "Perfil", change: "Cambiar",
      save: "Guardar", currentPassword: "Contraseña actual", newPassword: "Contraseña nueva",
      newEmail: "Correo electrónico nuevo",
      newEmailHint: "Enviaremos un código a la dirección nueva. Nada cambia hasta que lo escribas.",
      sendCode: "Enviar código", passkeys: "Llaves de acceso",
      noPasskeys: "Entra con tu cara, tu huella o el bloqueo de pantalla, sin contraseña.",
      addPasskey: "Añadir una llave de acceso", added: { "Añadida: \($0)" }, lastUsed: { "Último uso: \($0)" },
      remove: "Quitar",
      removeText: "Ya no podrás iniciar sesión con esta llave de acceso.", removeButton: "Quitar llave de acceso",
      sessions: "Sesiones iniciadas", thisBrowser: "Este navegador", signOut: "Cerrar sesión",
      signOutOf: { "Cerrar sesión: \($0)" }, everywhere: "Cerrar sesión en todas partes",
      everywhereText: "Se cerrará tu sesión en todos los navegadores y todas las apps, también en este navegador.",
      everywhereButton: "Cerrar todas las sesiones"),
    passkey: PasskeyPage(
      heading: "Añadir una llave de acceso",
      lead:
        "Entra con tu cara, tu huella o el bloqueo de pantalla. Una llave de acceso no se puede adivinar y solo funciona aquí.",
      name: "Nombre de la llave de acceso", nameHint: "Para distinguir tus llaves de acceso.",
      button: "Crear llave de acceso", back: "Volver a tu cuenta",
      unsupported: "Las llaves de acceso no funcionan en este navegador. Prueba con otro navegador o dispositivo.",
      exists: "Este dispositivo ya tiene una llave de acceso para tu cuenta.",
      failed: "No se ha creado ninguna llave de acceso. Inténtalo de nuevo cuando quieras."),
    expired: Expired(
      heading: "Este enlace ya no es válido",
      text: "Por tu seguridad, los enlaces y los códigos sirven una sola vez y durante poco tiempo.",
      startAgain: "Empezar de nuevo"),
    times: Times(
      now: "ahora mismo", minutes: { $0 == 1 ? "hace 1 minuto" : "hace \($0) minutos" },
      hours: { $0 == 1 ? "hace 1 hora" : "hace \($0) horas" }, days: { $0 == 1 ? "ayer" : "hace \($0) días" },
      date: { year, month, day in
        let months = [
          "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
          "noviembre", "diciembre",
        ]
        return "\(day) de \(months[month - 1]) de \(year)"
      }),
    problem: spanish(problem:), notice: spanish(notice:))

  private static func spanish(problem: Problem) -> String {
    switch problem {
    case .wrongCredentials: "El correo electrónico y la contraseña no coinciden."
    case .tooManyTries(let seconds):
      "Demasiados intentos. Vuelve a intentarlo en \(wait(seconds)) o restablece tu contraseña."
    case .tooManyRequests(let seconds): "Demasiadas solicitudes. Vuelve a intentarlo en \(wait(seconds))."
    case .passkeyRefused:
      "Esa llave de acceso no ha funcionado. Inténtalo de nuevo o inicia sesión con tu contraseña."
    case .passkeyNotAdded: "No se ha podido añadir la llave de acceso. Inténtalo de nuevo."
    case .tooManyPasskeys(let limit):
      "Puedes tener hasta \(limit) llaves de acceso. Quita una para añadir otra."
    case .nameMissing: "Escribe tu nombre."
    case .nameTooLong: "Ese nombre es demasiado largo."
    case .emailMissing: "Escribe tu correo electrónico."
    case .emailMalformed: "Escribe una dirección completa, como nombre@example.com."
    case .emailUnchanged: "Ese ya es tu correo electrónico."
    case .passwordMissing: "Escribe una contraseña."
    case .passwordTooShort(let minimum): "Usa al menos \(minimum) caracteres."
    case .passwordTooLong: "Esa contraseña es demasiado larga."
    case .passwordCommon: "Esa contraseña es de las primeras que cualquiera probaría. Elige otra."
    case .passwordPersonal: "Se parece demasiado a tu nombre o a tu correo electrónico. Elige otra contraseña."
    case .currentPasswordWrong: "Esa no es tu contraseña actual."
    case .codeMissing: "Escribe el código del correo."
    case .codeWrong: "El código no es correcto. Revísalo e inténtalo de nuevo."
    case .mailUnavailable: "Ahora mismo no podemos enviar correos. Inténtalo de nuevo en unos minutos."
    case .busy: "Hay mucha actividad en este momento. Inténtalo de nuevo en unos instantes."
    }
  }

  private static func wait(_ seconds: Int) -> String {
    switch Wait(seconds: seconds) {
    case .seconds(let count): count == 1 ? "1 segundo" : "\(count) segundos"
    case .minutes(let count): count == 1 ? "1 minuto" : "\(count) minutos"
    case .hours(let count): count == 1 ? "1 hora" : "\(count) horas"
    }
  }

  private static func spanish(notice: Notice) -> String {
    switch notice {
    case .signedOut: "Has cerrado la sesión."
    case .nameChanged: "Tu nombre se ha cambiado."
    case .emailChanged: "Tu correo electrónico se ha cambiado."
    case .passwordChanged: "Tu contraseña se ha cambiado."
    case .passkeyAdded: "Tu llave de acceso se ha añadido."
    case .passkeyRemoved: "La llave de acceso se ha quitado."
    case .sessionEnded: "La sesión de ese navegador se ha cerrado."
    case .signedOutEverywhere: "Has cerrado la sesión en todas partes."
    case .codeSent: "Hemos enviado otro código."
    }
  }
}
