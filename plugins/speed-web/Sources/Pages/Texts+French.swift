extension Texts {
  static let french = Texts(
    common: Common(
      brand: "Compte Speed",
      titleOfProblem: { "Erreur\u{A0}: \($0)" }, name: "Nom", email: "E-mail", password: "Mot de passe",
      showPassword: "Afficher le mot de passe", hidePassword: "Masquer le mot de passe",
      passwordHint: { "Au moins \($0) caractères. Quelques mots à la suite se retiennent bien et se devinent mal." },
      or: "ou", backToSignIn: "Retour à la connexion", browserOnDevice: { "\($0) sur \($1)" },
      unknownBrowser: "Navigateur inconnu"),
    signIn: SignIn(
      heading: "Se connecter", headingForApp: { "Continuer vers \($0)" }, lead: "Avec votre compte Speed.",
      linkHeading: "Associer votre compte Speed",
      linkLead: { "Connectez-vous au compte Speed que vous souhaitez associer à \($0)." },
      confirmHeading: "Confirmez votre identité", confirmLead: "Reconnectez-vous avant de continuer.",
      forgot: "Mot de passe oublié\u{A0}?", button: "Se connecter", passkey: "Utiliser une clé d’accès",
      passkeyFailed: "Votre clé d’accès n’a pas été utilisée. Réessayez ou connectez-vous avec votre mot de passe.",
      newHere: "Nouveau sur Speed\u{A0}?", create: "Créer un compte"),
    signUp: SignUp(
      heading: "Créer votre compte Speed", lead: "Un seul compte pour toutes les apps Speed.",
      leadForApp: { "Vous continuerez ensuite vers \($0)." },
      nameHint: "C’est le nom que les apps verront.", button: "Créer un compte",
      haveOne: "Vous avez déjà un compte Speed\u{A0}?", signIn: "Se connecter"),
    codes: Codes(
      code: { "Code à \($0) chiffres" }, verifyHeading: "Consultez vos e-mails",
      sentTo: { "Nous avons envoyé un code à \($0). Saisissez-le ici ou ouvrez le lien de l’e-mail." },
      sent: "Nous vous avons envoyé un code. Saisissez-le ici ou ouvrez le lien de l’e-mail.",
      verifyLinkHeading: "Confirmer votre adresse e-mail",
      verifyLinkLead: "Encore une étape et votre adresse e-mail sera confirmée.",
      verifyLinkLeadFor: { "Encore une étape et \($0) sera confirmée." }, verifyButton: "Confirmer",
      nothingCame: "Rien reçu\u{A0}? Vérifiez aussi vos courriers indésirables.", resend: "Envoyer un nouveau code",
      resetHeading: "Réinitialiser le mot de passe",
      resetLead: "Saisissez l’adresse e-mail de votre compte Speed, nous vous enverrons un code.",
      resetButton: "Envoyer le code", newHeading: "Choisir un nouveau mot de passe",
      newSentTo: { "S’il existe un compte Speed pour \($0), un code est en route." },
      newSent: "S’il existe un compte Speed pour cette adresse, un code est en route.",
      newLead: "Il vous servira désormais à vous connecter à votre compte Speed.",
      firstHeading: "Choisir un mot de passe",
      firstLead:
        "Vous avez ouvert le lien dans un autre navigateur. Pour votre sécurité, choisissez votre mot de passe ici.",
      newPassword: "Nouveau mot de passe", newButton: "Enregistrer le mot de passe"),
    consent: Consent(
      heading: { "Continuer vers \($0)\u{A0}?" }, shared: { "\($0) recevra\u{A0}:" }, name: "Votre nom",
      photo: "Votre photo",
      email: "Votre adresse e-mail", promise: "Votre mot de passe reste chez Speed.", allow: "Continuer",
      deny: "Annuler", linkHeading: { "Associer votre compte Speed à \($0)\u{A0}?" },
      linkLead: { "Votre compte \($0) utilisera le profil et le solde de ce compte Speed." },
      linkAllow: "Associer le compte", signedInAs: "Connecté en tant que", otherAccount: "Utiliser un autre compte"),
    account: Account(
      heading: "Votre compte Speed", profile: "Profil", change: "Modifier",
      save: "Enregistrer", currentPassword: "Mot de passe actuel", newPassword: "Nouveau mot de passe",
      newEmail: "Nouvelle adresse e-mail",
      newEmailHint: "Nous enverrons un code à la nouvelle adresse. Rien ne change tant que vous ne l’avez pas saisi.",
      sendCode: "Envoyer le code", passkeys: "Clés d’accès",
      noPasskeys:
        "Connectez-vous avec votre visage, votre empreinte ou le verrouillage de l’écran, sans mot de passe.",
      addPasskey: "Ajouter une clé d’accès", added: { "Ajoutée\u{A0}: \($0)" },
      lastUsed: { "Dernière utilisation\u{A0}: \($0)" }, remove: "Supprimer",
      removeText: "Vous ne pourrez plus vous connecter avec cette clé d’accès.",
      removeButton: "Supprimer la clé d’accès", sessions: "Vos connexions", thisBrowser: "Ce navigateur",
      signOut: "Se déconnecter", signOutOf: { "Déconnecter\u{A0}: \($0)" }, everywhere: "Se déconnecter partout",
      everywhereText:
        "Vous serez déconnecté de tous les navigateurs et de toutes les apps, y compris de ce navigateur.",
      everywhereButton: "Se déconnecter partout"),
    passkey: PasskeyPage(
      heading: "Ajouter une clé d’accès",
      lead:
        "Connectez-vous avec votre visage, votre empreinte ou le verrouillage de l’écran. Une clé d’accès ne se devine pas et ne fonctionne qu’ici.",
      name: "Nom de la clé d’accès", nameHint: "Pour distinguer vos clés d’accès.",
      button: "Créer la clé d’accès", back: "Retour à votre compte",
      unsupported:
        "Les clés d’accès ne fonctionnent pas dans ce navigateur. Essayez un autre navigateur ou un autre appareil.",
      exists: "Cet appareil a déjà une clé d’accès pour votre compte.",
      failed: "Aucune clé d’accès n’a été créée. Réessayez quand vous voulez."),
    expired: Expired(
      heading: "Ce lien n’est plus valable",
      text: "Pour votre sécurité, les liens et les codes ne servent qu’une fois et expirent rapidement.",
      startAgain: "Recommencer"),
    times: Times(
      now: "à l’instant", minutes: { $0 == 1 ? "il y a 1 minute" : "il y a \($0) minutes" },
      hours: { $0 == 1 ? "il y a 1 heure" : "il y a \($0) heures" }, days: { $0 == 1 ? "hier" : "il y a \($0) jours" },
      date: { year, month, day in
        let months = [
          "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
          "décembre",
        ]
        return "\(day == 1 ? "1er" : String(day)) \(months[month - 1]) \(year)"
      }),
    problem: french(problem:), notice: french(notice:))

  private static func french(problem: Problem) -> String {
    switch problem {
    case .wrongCredentials: "Cette adresse e-mail et ce mot de passe ne correspondent pas."
    case .tooManyTries(let seconds):
      "Trop de tentatives. Réessayez dans \(wait(seconds)) ou réinitialisez votre mot de passe."
    case .tooManyRequests(let seconds): "Trop de demandes. Réessayez dans \(wait(seconds))."
    case .passkeyRefused:
      "Cette clé d’accès n’a pas fonctionné. Réessayez ou connectez-vous avec votre mot de passe."
    case .passkeyNotAdded: "La clé d’accès n’a pas pu être ajoutée. Réessayez."
    case .tooManyPasskeys(let limit):
      "Vous pouvez avoir \(limit) clés d’accès au maximum. Supprimez-en une pour en ajouter une autre."
    case .nameMissing: "Saisissez votre nom."
    case .nameTooLong: "Ce nom est trop long."
    case .emailMissing: "Saisissez votre adresse e-mail."
    case .emailMalformed: "Saisissez une adresse e-mail complète, par exemple nom@example.com."
    case .emailUnchanged: "C’est déjà votre adresse e-mail."
    case .passwordMissing: "Saisissez un mot de passe."
    case .passwordTooShort(let minimum): "Utilisez au moins \(minimum) caractères."
    case .passwordTooLong: "Ce mot de passe est trop long."
    case .passwordCommon: "Ce mot de passe serait l’un des premiers à être deviné. Choisissez-en un autre."
    case .passwordPersonal:
      "Ce mot de passe ressemble trop à votre nom ou à votre adresse e-mail. Choisissez-en un autre."
    case .currentPasswordWrong: "Ce n’est pas votre mot de passe actuel."
    case .codeMissing: "Saisissez le code reçu par e-mail."
    case .codeWrong: "Ce code n’est pas le bon. Vérifiez-le et réessayez."
    case .mailUnavailable: "Nous ne pouvons pas envoyer d’e-mails pour l’instant. Réessayez dans quelques minutes."
    case .busy: "Le service est très sollicité. Réessayez dans un instant."
    }
  }

  private static func wait(_ seconds: Int) -> String {
    switch Wait(seconds: seconds) {
    case .seconds(let count): count == 1 ? "1 seconde" : "\(count) secondes"
    case .minutes(let count): count == 1 ? "1 minute" : "\(count) minutes"
    case .hours(let count): count == 1 ? "1 heure" : "\(count) heures"
    }
  }

  private static func french(notice: Notice) -> String {
    switch notice {
    case .signedOut: "Vous êtes déconnecté."
    case .nameChanged: "Votre nom a été modifié."
    case .emailChanged: "Votre adresse e-mail a été modifiée."
    case .passwordChanged: "Votre mot de passe a été modifié."
    case .passkeyAdded: "Votre clé d’accès a été ajoutée."
    case .passkeyRemoved: "La clé d’accès a été supprimée."
    case .sessionEnded: "Ce navigateur est déconnecté."
    case .signedOutEverywhere: "Vous êtes déconnecté partout."
    case .codeSent: "Nous avons envoyé un nouveau code."
    }
  }
}
