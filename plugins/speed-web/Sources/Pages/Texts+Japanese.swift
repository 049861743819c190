extension Texts {
  static let japanese = Texts(
    common: Common(
      brand: "Speedアカウント", titleOfProblem: { "エラー: \($0)" },
      name: "名前", email: "メールアドレス", password: "パスワード", showPassword: "パスワードを表示",
      hidePassword: "パスワードを隠す",
      passwordHint: { "\($0)文字以上。いくつかの単語を並べると、覚えやすく推測されにくくなります。" }, or: "または",
      backToSignIn: "サインインに戻る", browserOnDevice: { "\($1)の\($0)" }, unknownBrowser: "不明なブラウザ"),
    signIn: SignIn(
      heading: "サインイン", headingForApp: { "\($0)に進む" }, lead: "Speedアカウントを使用します。",
      linkHeading: "Speedアカウントを連携",
      linkLead: { "\($0)と連携するSpeedアカウントにサインインしてください。" }, confirmHeading: "ご本人確認",
      confirmLead: "続けるには、もう一度サインインしてください。", forgot: "パスワードをお忘れですか？",
      button: "サインイン", passkey: "パスキーでサインイン",
      passkeyFailed: "パスキーを使用できませんでした。もう一度お試しいただくか、パスワードでサインインしてください。",
      newHere: "Speedは初めてですか？", create: "アカウントを作成"),
    signUp: SignUp(
      heading: "Speedアカウントを作成", lead: "すべてのSpeedアプリで使えるアカウントです。",
      leadForApp: { "作成後、\($0)に進みます。" }, nameHint: "アプリに表示される名前です。",
      button: "アカウントを作成", haveOne: "Speedアカウントをお持ちですか？", signIn: "サインイン"),
    codes: Codes(
      code: { "\($0)桁のコード" }, verifyHeading: "メールをご確認ください",
      sentTo: { "\($0) にコードを送信しました。ここに入力するか、メール内のリンクを開いてください。" },
      sent: "コードを送信しました。ここに入力するか、メール内のリンクを開いてください。",
      verifyLinkHeading: "メールアドレスの確認", verifyLinkLead: "下のボタンを押すと確認が完了します。",
      verifyLinkLeadFor: { "下のボタンを押すと \($0) の確認が完了します。" }, verifyButton: "確認",
      nothingCame: "メールが届かない場合は、迷惑メールフォルダもご確認ください。", resend: "新しいコードを送信",
      resetHeading: "パスワードを再設定",
      resetLead: "Speedアカウントのメールアドレスを入力してください。コードをお送りします。", resetButton: "コードを送信",
      newHeading: "新しいパスワードを設定", newSentTo: { "\($0) のSpeedアカウントがある場合は、コードをお送りしました。" },
      newSent: "このメールアドレスのSpeedアカウントがある場合は、コードをお送りしました。",
      newLead: "今後はこのパスワードでSpeedアカウントにサインインします。", firstHeading: "パスワードを設定",
      firstLead: "リンクが別のブラウザで開かれました。安全のため、ここでパスワードを設定してください。",
      newPassword: "新しいパスワード",
      newButton: "パスワードを保存"),
    consent: Consent(
      heading: { "\($0)に進みますか？" }, shared: { "\($0)に提供される情報:" }, name: "名前", photo: "写真",
      email: "メールアドレス", promise: "パスワードがアプリに伝わることはありません。", allow: "続ける", deny: "キャンセル",
      linkHeading: { "Speedアカウントを\($0)と連携しますか？" },
      linkLead: { "\($0)のアカウントで、このSpeedアカウントのプロフィールと残高が使われます。" },
      linkAllow: "連携する", signedInAs: "サインイン中のアカウント", otherAccount: "別のアカウントを使用"),
    account: Account(
      heading: "Speedアカウント", profile: "プロフィール", change: "変更", save: "保存",
      currentPassword: "現在のパスワード", newPassword: "新しいパスワード", newEmail: "新しいメールアドレス",
      newEmailHint: "新しいアドレスにコードをお送りします。入力するまで変更されません。", sendCode: "コードを送信",
      passkeys: "パスキー", noPasskeys: "パスワードの代わりに、顔、指紋、画面ロックでサインインできます。",
      addPasskey: "パスキーを追加", added: { "追加: \($0)" }, lastUsed: { "最終使用: \($0)" }, remove: "削除",
      removeText: "このパスキーではサインインできなくなります。",
      removeButton: "パスキーを削除", sessions: "サインイン中のブラウザ", thisBrowser: "このブラウザ",
      signOut: "サインアウト", signOutOf: { "\($0)をサインアウト" }, everywhere: "すべてサインアウト",
      everywhereText: "このブラウザを含む、すべてのブラウザとアプリからサインアウトします。",
      everywhereButton: "すべてサインアウト"),
    passkey: PasskeyPage(
      heading: "パスキーを追加",
      lead: "顔、指紋、画面ロックでサインインできます。パスキーは推測されることがなく、このサイトでしか使えません。",
      name: "パスキーの名前", nameHint: "パスキーを見分けるための名前です。", button: "パスキーを作成",
      back: "アカウントに戻る",
      unsupported: "このブラウザではパスキーを使えません。別のブラウザまたはデバイスでお試しください。",
      exists: "このデバイスには、すでにこのアカウントのパスキーがあります。",
      failed: "パスキーは作成されませんでした。準備ができたら、もう一度お試しください。"),
    expired: Expired(
      heading: "このリンクは無効です",
      text: "安全のため、リンクとコードは一度だけ、短い時間に限り使えます。",
      startAgain: "最初からやり直す"),
    times: Times(
      now: "たった今", minutes: { "\($0)分前" }, hours: { "\($0)時間前" }, days: { $0 == 1 ? "昨日" : "\($0)日前" },
      date: { year, month, day in "\(year)年\(month)月\(day)日" }),
    problem: japanese(problem:), notice: japanese(notice:))

  private static func japanese(problem: Problem) -> String {
    switch problem {
    case .wrongCredentials: "メールアドレスまたはパスワードが正しくありません。"
    case .tooManyTries(let seconds):
      "試行回数が多すぎます。\(wait(seconds))後にもう一度お試しいただくか、パスワードを再設定してください。"
    case .tooManyRequests(let seconds): "リクエストが多すぎます。\(wait(seconds))後にもう一度お試しください。"
    case .passkeyRefused: "このパスキーは使えませんでした。もう一度お試しいただくか、パスワードでサインインしてください。"
    case .passkeyNotAdded: "パスキーを追加できませんでした。もう一度お試しください。"
    case .tooManyPasskeys(let limit): "パスキーは\(limit)個まで登録できます。追加するには、いずれかを削除してください。"
    case .nameMissing: "名前を入力してください。"
    case .nameTooLong: "名前が長すぎます。"
    case .emailMissing: "メールアドレスを入力してください。"
    case .emailMalformed: "name@example.com のような形式でメールアドレスを入力してください。"
    case .emailUnchanged: "現在のメールアドレスと同じです。"
    case .passwordMissing: "パスワードを入力してください。"
    case .passwordTooShort(let minimum): "\(minimum)文字以上にしてください。"
    case .passwordTooLong: "パスワードが長すぎます。"
    case .passwordCommon: "推測されやすいパスワードです。別のパスワードにしてください。"
    case .passwordPersonal: "名前やメールアドレスに似ています。別のパスワードにしてください。"
    case .currentPasswordWrong: "現在のパスワードが正しくありません。"
    case .codeMissing: "メールに記載のコードを入力してください。"
    case .codeWrong: "コードが正しくありません。確認して、もう一度入力してください。"
    case .mailUnavailable: "現在メールを送信できません。数分後にもう一度お試しください。"
    case .busy: "ただいま混み合っています。しばらくしてからもう一度お試しください。"
    }
  }

  private static func wait(_ seconds: Int) -> String {
    switch Wait(seconds: seconds) {
    case .seconds(let count): "\(count)秒"
    case .minutes(let count): "\(count)分"
    case .hours(let count): "\(count)時間"
    }
  }

  private static func japanese(notice: Notice) -> String {
    switch notice {
    case .signedOut: "サインアウトしました。"
    case .nameChanged: "名前を変更しました。"
    case .emailChanged: "メールアドレスを変更しました。"
    case .passwordChanged: "パスワードを変更しました。"
    case .passkeyAdded: "パスキーを追加しました。"
    case .passkeyRemoved: "パスキーを削除しました。"
    case .sessionEnded: "そのブラウザをサインアウトしました。"
    case .signedOutEverywhere: "すべてサインアウトしました。"
    case .codeSent: "新しいコードを送信しました。"
    }
  }
}
