extension Texts {
  static let german = Texts(
    common: Common(
      brand: "Speed-Konto", titleOfProblem: { "Fehler: \($0)" },
      name: "Name", email: "E-Mail", password: "Passwort", showPassword: "Passwort anzeigen",
      hidePassword: "Passwort verbergen",
      passwordHint: {
        "Mindestens \($0) Zeichen. Mehrere Wörter hintereinander sind leicht zu merken und schwer zu erraten."
      },
      or: "oder", backToSignIn: "Zurück zur Anmeldung", browserOnDevice: { "\($0) auf \($1)" },
      unknownBrowser: "Unbekannter Browser"),
    signIn: SignIn(
      heading: "Anmelden", headingForApp: { "Weiter zu \($0)" }, lead: "Mit deinem Speed-Konto.",
      linkHeading: "Speed-Konto verknüpfen",
      linkLead: { "Melde dich bei dem Speed-Konto an, das du mit \($0) verknüpfen möchtest." },
      confirmHeading: "Bist du es wirklich?", confirmLead: "Bitte melde dich noch einmal an, bevor es weitergeht.",
      forgot: "Passwort vergessen?", button: "Anmelden", passkey: "Mit Passkey anmelden",
      passkeyFailed:
        "Der Passkey wurde nicht verwendet. Versuche es noch einmal oder melde dich mit deinem Passwort an.",
      newHere: "Neu bei Speed?", create: "Konto erstellen"),
    signUp: SignUp(
      heading: "Speed-Konto erstellen", lead: "Ein Konto für alle Speed-Apps.",
      leadForApp: { "Danach geht es weiter zu \($0)." }, nameHint: "Diesen Namen sehen die Apps.",
      button: "Konto erstellen", haveOne: "Du hast schon ein Speed-Konto?", signIn: "Anmelden"),
    codes: Codes(
      code: { "\($0)-stelliger Code" }, verifyHeading: "Sieh in deine E-Mails",
      sentTo: { "Wir haben einen Code an \($0) geschickt. Gib ihn hier ein oder öffne den Link in der E-Mail." },
      sent: "Wir haben dir einen Code geschickt. Gib ihn hier ein oder öffne den Link in der E-Mail.",
      verifyLinkHeading: "E-Mail-Adresse bestätigen",
      verifyLinkLead: "Noch ein Schritt, und deine E-Mail-Adresse ist bestätigt.",
      verifyLinkLeadFor: { "Noch ein Schritt, und \($0) ist bestätigt." }, verifyButton: "Bestätigen",
      nothingCame: "Nichts angekommen? Sieh auch im Spam-Ordner nach.", resend: "Neuen Code senden",
      resetHeading: "Passwort zurücksetzen",
      resetLead: "Gib die E-Mail-Adresse deines Speed-Kontos ein. Wir schicken dir dann einen Code.",
      resetButton: "Code senden", newHeading: "Neues Passwort wählen",
      newSentTo: { "Wenn es zu \($0) ein Speed-Konto gibt, ist ein Code unterwegs." },
      newSent: "Wenn es zu dieser Adresse ein Speed-Konto gibt, ist ein Code unterwegs.",
      newLead: "Damit meldest du dich künftig bei deinem Speed-Konto an.", firstHeading: "Passwort wählen",
      firstLead: "Du hast den Link in einem anderen Browser geöffnet. Wähle dein Passwort zu deiner Sicherheit hier.",
      newPassword: "Neues Passwort",
      newButton: "Passwort speichern"),
    consent: Consent(
      heading: { "Weiter zu \($0)?" }, shared: { "\($0) erhält:" }, name: "Deinen Namen", photo: "Dein Foto",
      email: "Deine E-Mail-Adresse", promise: "Dein Passwort bleibt bei Speed.", allow: "Weiter",
      deny: "Abbrechen", linkHeading: { "Speed-Konto mit \($0) verknüpfen?" },
      linkLead: { "Dein Konto in \($0) verwendet dann Profil und Guthaben dieses Speed-Kontos." },
      linkAllow: "Konto verknüpfen", signedInAs: "Angemeldet als", otherAccount: "Anderes Konto verwenden"),
    account: Account(
      heading: "Dein Speed-Konto", profile: "Profil", change: "Ändern",
      save: "Speichern", currentPassword: "Aktuelles Passwort", newPassword: "Neues Passwort",
      newEmail: "Neue E-Mail-Adresse",
      newEmailHint: "Wir schicken einen Code an die neue Adresse. Bis du ihn eingibst, bleibt alles beim Alten.",
      sendCode: "Code senden", passkeys: "Passkeys",
      noPasskeys: "Melde dich mit Gesicht, Fingerabdruck oder Bildschirmsperre an, ganz ohne Passwort.",
      addPasskey: "Passkey hinzufügen", added: { "Hinzugefügt: \($0)" }, lastUsed: { "Zuletzt verwendet: \($0)" },
      remove: "Entfernen",
      removeText: "Mit diesem Passkey kannst du dich dann nicht mehr anmelden.", removeButton: "Passkey entfernen",
      sessions: "Wo du angemeldet bist", thisBrowser: "Dieser Browser", signOut: "Abmelden",
      signOutOf: { "Abmelden: \($0)" }, everywhere: "Überall abmelden",
      everywhereText: "Du wirst in allen Browsern und allen Apps abgemeldet, auch in diesem Browser.",
      everywhereButton: "Überall abmelden"),
    passkey: PasskeyPage(
      heading: "Passkey hinzufügen",
      lead:
        "Melde dich mit Gesicht, Fingerabdruck oder Bildschirmsperre an. Ein Passkey lässt sich nicht erraten und funktioniert nur hier.",
      name: "Name des Passkeys", nameHint: "Damit du deine Passkeys auseinanderhalten kannst.",
      button: "Passkey erstellen", back: "Zurück zu deinem Konto",
      unsupported: "Dieser Browser kann keine Passkeys. Versuche es mit einem anderen Browser oder Gerät.",
      exists: "Auf diesem Gerät gibt es schon einen Passkey für dein Konto.",
      failed: "Es wurde kein Passkey erstellt. Versuche es noch einmal, wenn du so weit bist."),
    expired: Expired(
      heading: "Dieser Link gilt nicht mehr",
      text: "Zu deiner Sicherheit gelten Links und Codes nur einmal und nur für kurze Zeit.",
      startAgain: "Von vorn beginnen"),
    times: Times(
      now: "gerade eben", minutes: { $0 == 1 ? "vor 1 Minute" : "vor \($0) Minuten" },
      hours: { $0 == 1 ? "vor 1 Stunde" : "vor \($0) Stunden" }, days: { $0 == 1 ? "gestern" : "vor \($0) Tagen" },
      date: { year, month, day in
        let months = [
          "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
          "Dezember",
        ]
        return "\(day). \(months[month - 1]) \(year)"
      }),
    problem: german(problem:), notice: german(notice:))

  private static func german(problem: Problem) -> String {
    switch problem {
    case .wrongCredentials: "E-Mail-Adresse und Passwort passen nicht zusammen."
    case .tooManyTries(let seconds):
      "Zu viele Versuche. Versuche es in \(wait(seconds)) noch einmal oder setze dein Passwort zurück."
    case .tooManyRequests(let seconds): "Zu viele Anfragen. Versuche es in \(wait(seconds)) noch einmal."
    case .passkeyRefused:
      "Dieser Passkey hat nicht funktioniert. Versuche es noch einmal oder melde dich mit deinem Passwort an."
    case .passkeyNotAdded: "Der Passkey konnte nicht hinzugefügt werden. Bitte versuche es noch einmal."
    case .tooManyPasskeys(let limit):
      "Du kannst bis zu \(limit) Passkeys haben. Entferne einen, um einen anderen hinzuzufügen."
    case .nameMissing: "Gib deinen Namen ein."
    case .nameTooLong: "Dieser Name ist zu lang."
    case .emailMissing: "Gib deine E-Mail-Adresse ein."
    case .emailMalformed: "Gib eine vollständige E-Mail-Adresse ein, zum Beispiel name@example.com."
    case .emailUnchanged: "Das ist bereits deine E-Mail-Adresse."
    case .passwordMissing: "Gib ein Passwort ein."
    case .passwordTooShort(let minimum): "Verwende mindestens \(minimum) Zeichen."
    case .passwordTooLong: "Dieses Passwort ist zu lang."
    case .passwordCommon: "Dieses Passwort würde man als eines der ersten erraten. Wähle ein anderes."
    case .passwordPersonal: "Das ist deinem Namen oder deiner E-Mail-Adresse zu ähnlich. Wähle ein anderes Passwort."
    case .currentPasswordWrong: "Das ist nicht dein aktuelles Passwort."
    case .codeMissing: "Gib den Code aus der E-Mail ein."
    case .codeWrong: "Dieser Code stimmt nicht. Prüfe ihn und versuche es noch einmal."
    case .mailUnavailable:
      "Wir können gerade keine E-Mails senden. Bitte versuche es in ein paar Minuten noch einmal."
    case .busy: "Gerade ist viel los. Bitte versuche es gleich noch einmal."
    }
  }

  private static func wait(_ seconds: Int) -> String {
    switch Wait(seconds: seconds) {
    case .seconds(let count): count == 1 ? "1 Sekunde" : "\(count) Sekunden"
    case .minutes(let count): count == 1 ? "1 Minute" : "\(count) Minuten"
    case .hours(let count): count == 1 ? "1 Stunde" : "\(count) Stunden"
    }
  }

  private static func german(notice: Notice) -> String {
    switch notice {
    case .signedOut: "Du bist abgemeldet."
    case .nameChanged: "Dein Name wurde geändert."
    case .emailChanged: "Deine E-Mail-Adresse wurde geändert."
    case .passwordChanged: "Dein Passwort wurde geändert."
    case .passkeyAdded: "Dein Passkey wurde hinzugefügt."
    case .passkeyRemoved: "Der Passkey wurde entfernt."
    case .sessionEnded: "Dieser Browser ist jetzt abgemeldet."
    case .signedOutEverywhere: "Du bist überall abgemeldet."
    case .codeSent: "Wir haben einen neuen Code geschickt."
    }
  }
}
