extension Texts {
  static let english = Texts(
    common: Common(
      brand: "Speed account", titleOfProblem: { "Error: \($0)" },
      name: "Name", email: "Email", password: "Password", showPassword: "Show password", hidePassword: "Hide password",
      passwordHint: { "At least \($0) characters. A few words in a row are easy to remember and hard to guess." },
      or: "or", backToSignIn: "Back to sign-in", browserOnDevice: { "\($0) on \($1)" },
      unknownBrowser: "Unknown browser"),
    signIn: SignIn(
      heading: "Sign in", headingForApp: { "Continue to \($0)" }, lead: "Use your Speed account.",
      linkHeading: "Link your Speed account",
      linkLead: { "Sign in to the Speed account you want to link to \($0)." },
      confirmHeading: "Confirm it’s you", confirmLead: "Please sign in again before you continue.",
      forgot: "Forgot password?", button: "Sign in", passkey: "Sign in with a passkey",
      passkeyFailed: "Your passkey wasn’t used. Try again, or sign in with your password.",
      newHere: "New to Speed?", create: "Create account"),
    signUp: SignUp(
      heading: "Create your Speed account", lead: "One account for every Speed app.",
      leadForApp: { "Then continue to \($0)." }, nameHint: "This is the name apps will see.",
      button: "Create account", haveOne: "Already have a Speed account?", signIn: "Sign in"),
    codes: Codes(
      code: { "\($0)-digit code" }, verifyHeading: "Check your email",
      sentTo: { "We sent a code to \($0). Enter it here, or open the link in the email." },
      sent: "We sent you a code. Enter it here, or open the link in the email.",
      verifyLinkHeading: "Confirm your email", verifyLinkLead: "One more step and your email address is confirmed.",
      verifyLinkLeadFor: { "One more step and \($0) is confirmed." }, verifyButton: "Confirm",
      nothingCame: "Nothing there? Check your spam folder.", resend: "Send a new code",
      resetHeading: "Reset your password",
      resetLead: "Enter the email address of your Speed account, and we’ll send you a code.",
      resetButton: "Send code", newHeading: "Choose a new password",
      newSentTo: { "If there’s a Speed account for \($0), a code is on its way." },
      newSent: "If there’s a Speed account for that address, a code is on its way.",
      newLead: "Use it from now on to sign in to your Speed account.", firstHeading: "Choose a password",
      firstLead: "You opened the link in a different browser. For your security, choose your password here.",
      newPassword: "New password",
      newButton: "Save password"),
    consent: Consent(
      heading: { "Continue to \($0)?" }, shared: { "\($0) will receive:" }, name: "Your name", photo: "Your photo",
      email: "Your email address", promise: "Your password stays with Speed.", allow: "Continue", deny: "Cancel",
      linkHeading: { "Link your Speed account to \($0)?" },
      linkLead: { "Your account in \($0) will use the profile and balance of this Speed account." },
      linkAllow: "Link account", signedInAs: "Signed in as", otherAccount: "Use another account"),
    account: Account(
      heading: "Your Speed account", profile: "Profile", change: "Change",
      save: "Save", currentPassword: "Current password", newPassword: "New password", newEmail: "New email",
      newEmailHint: "We’ll send a code to the new address. Nothing changes until you enter it.",
      sendCode: "Send code", passkeys: "Passkeys",
      noPasskeys: "Sign in with your face, fingerprint or screen lock instead of a password.",
      addPasskey: "Add a passkey", added: { "Added \($0)" }, lastUsed: { "Last used \($0)" }, remove: "Remove",
      removeText: "You won’t be able to sign in with this passkey anymore.",
      removeButton: "Remove passkey", sessions: "Where you’re signed in", thisBrowser: "This browser",
      signOut: "Sign out", signOutOf: { "Sign out: \($0)" }, everywhere: "Sign out everywhere",
      everywhereText: "This signs you out of every browser and every app, including this browser.",
      everywhereButton: "Sign out everywhere"),
    passkey: PasskeyPage(
      heading: "Add a passkey",
      lead: "Sign in with your face, fingerprint or screen lock. A passkey can’t be guessed, and it only works here.",
      name: "Passkey name", nameHint: "Helps you tell your passkeys apart.", button: "Create passkey",
      back: "Back to your account",
      unsupported: "Passkeys don’t work in this browser. Try another browser or device.",
      exists: "This device already has a passkey for your account.",
      failed: "No passkey was created. Try again whenever you’re ready."),
    expired: Expired(
      heading: "This link no longer works",
      text: "For your security, links and codes work only once and only for a short time.",
      startAgain: "Start again"),
    times: Times(
      now: "just now", minutes: { $0 == 1 ? "1 minute ago" : "\($0) minutes ago" },
      hours: { $0 == 1 ? "1 hour ago" : "\($0) hours ago" }, days: { $0 == 1 ? "yesterday" : "\($0) days ago" },
      date: { year, month, day in
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(day) \(months[month - 1]) \(year)"
      }),
    problem: english(problem:), notice: english(notice:))

  private static func english(problem: Problem) -> String {
    switch problem {
    case .wrongCredentials: "That email and password don’t match."
    case .tooManyTries(let seconds): "Too many attempts. Try again in \(wait(seconds)), or reset your password."
    case .tooManyRequests(let seconds): "Too many requests. Try again in \(wait(seconds))."
    case .passkeyRefused: "That passkey didn’t work here. Try again, or sign in with your password."
    case .passkeyNotAdded: "The passkey couldn’t be added. Please try again."
    case .tooManyPasskeys(let limit): "You can have up to \(limit) passkeys. Remove one to add another."
    case .nameMissing: "Enter your name."
    case .nameTooLong: "That name is too long."
    case .emailMissing: "Enter your email address."
    case .emailMalformed: "Enter a complete email address, like name@example.com."
    case .emailUnchanged: "That’s already your email address."
    case .passwordMissing: "Enter a password."
    case .passwordTooShort(let minimum): "Use at least \(minimum) characters."
    case .passwordTooLong: "That password is too long."
    case .passwordCommon: "This is one of the first passwords anyone would guess. Choose another one."
    case .passwordPersonal: "That’s too close to your name or email address. Choose another one."
    case .currentPasswordWrong: "That isn’t your current password."
    case .codeMissing: "Enter the code from the email."
    case .codeWrong: "That code isn’t right. Check it and try again."
    case .mailUnavailable: "We can’t send email right now. Please try again in a few minutes."
    case .busy: "There’s a lot going on right now. Please try again in a moment."
    }
  }

  private static func wait(_ seconds: Int) -> String {
    switch Wait(seconds: seconds) {
    case .seconds(let count): count == 1 ? "1 second" : "\(count) seconds"
    case .minutes(let count): count == 1 ? "1 minute" : "\(count) minutes"
    case .hours(let count): count == 1 ? "1 hour" : "\(count) hours"
    }
  }

  private static func english(notice: Notice) -> String {
    switch notice {
    case .signedOut: "You’re signed out."
    case .nameChanged: "Your name has been changed."
    case .emailChanged: "Your email address has been changed."
    case .passwordChanged: "Your password has been changed."
    case .passkeyAdded: "Your passkey has been added."
    case .passkeyRemoved: "The passkey has been removed."
    case .sessionEnded: "That browser is signed out."
    case .signedOutEverywhere: "You’re signed out everywhere."
    case .codeSent: "We’ve sent a new code."
    }
  }
}
