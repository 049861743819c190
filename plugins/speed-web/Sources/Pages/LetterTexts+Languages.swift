extension LetterTexts {
  static let english = LetterTexts(
    verification: Wording(
      "Confirm your email address",
      text: "Welcome to Speed! Enter this code to confirm your email address and finish creating your Speed account.",
      link: "Confirm email address",
      otherwise: "Wasn’t you? Then ignore this email, and no account will be created."),
    verificationForApp: {
      "Welcome to Speed! Enter this code to confirm your email address, then continue to \($0) with your Speed account."
    },
    newAddress: Wording(
      "Confirm your new email address", text: "Enter this code to use this address for your Speed account.",
      link: "Confirm email address", otherwise: "Wasn’t you? Then ignore this email, and nothing will change."),
    addressInUse: Wording(
      "You already have a Speed account",
      text:
        "Someone, most likely you, tried to create a Speed account with this email address. You already have one, so you can simply sign in.",
      link: "Sign in", otherwise: "Wasn’t you? There’s nothing you need to do."),
    forgot: "Forgot your password? Reset it",
    reset: Wording(
      "Reset your password", text: "Enter this code to choose a new password for your Speed account.",
      link: "Choose a new password", otherwise: "Wasn’t you? Then ignore this email. Your password stays the same."),
    addressChanged: Wording(
      "Your email address was changed",
      otherwise: "Wasn’t you? Someone else may have access to your account. Contact Speed support right away."),
    addressChangedTo: {
      "The email address of your Speed account is now \($0). This address can no longer be used to sign in."
    },
    passkeyAdded: Wording(
      "A passkey was added to your account", link: "Go to your account",
      otherwise: "Wasn’t you? Remove the passkey from your account and change your password right away."),
    passkeyNamed: { "The passkey “\($0)” can now be used to sign in to your Speed account." },
    passwordChanged: Wording(
      "Your password was changed", text: "The password of your Speed account was just changed.",
      link: "Reset password", otherwise: "Wasn’t you? Reset your password right away."),
    validFor: { "The code and the link work once, within the next \($0) minutes." },
    neverTell: "Don’t share this code with anyone. Nobody from Speed will ever ask you for it.")

  static let german = LetterTexts(
    verification: Wording(
      "Bestätige deine E-Mail-Adresse",
      text:
        "Willkommen bei Speed! Gib diesen Code ein, um deine E-Mail-Adresse zu bestätigen. Dann ist dein Speed-Konto fertig.",
      link: "E-Mail-Adresse bestätigen",
      otherwise: "Das warst nicht du? Dann ignoriere diese E-Mail, und es wird kein Konto erstellt."),
    verificationForApp: {
      "Willkommen bei Speed! Gib diesen Code ein, um deine E-Mail-Adresse zu bestätigen. Danach geht es mit deinem Speed-Konto weiter zu \($0)."
    },
    newAddress: Wording(
      "Bestätige deine neue E-Mail-Adresse",
      text: "Gib diesen Code ein, um diese Adresse für dein Speed-Konto zu verwenden.",
      link: "E-Mail-Adresse bestätigen",
      otherwise: "Das warst nicht du? Dann ignoriere diese E-Mail, und es ändert sich nichts."),
    addressInUse: Wording(
      "Du hast bereits ein Speed-Konto",
      text:
        "Jemand, vermutlich du, wollte mit dieser E-Mail-Adresse ein Speed-Konto erstellen. Du hast aber schon eines und kannst dich einfach anmelden.",
      link: "Anmelden", otherwise: "Das warst nicht du? Dann musst du nichts tun."),
    forgot: "Passwort vergessen? Setze es zurück",
    reset: Wording(
      "Setze dein Passwort zurück", text: "Gib diesen Code ein, um ein neues Passwort für dein Speed-Konto zu wählen.",
      link: "Neues Passwort wählen",
      otherwise: "Das warst nicht du? Dann ignoriere diese E-Mail. Dein Passwort bleibt, wie es ist."),
    addressChanged: Wording(
      "Deine E-Mail-Adresse wurde geändert",
      otherwise:
        "Das warst nicht du? Dann hat vielleicht jemand anderes Zugriff auf dein Konto. Wende dich sofort an den Support von Speed."
    ),
    addressChangedTo: {
      "Die E-Mail-Adresse deines Speed-Kontos ist jetzt \($0). Mit dieser Adresse kannst du dich nicht mehr anmelden."
    },
    passkeyAdded: Wording(
      "Ein Passkey wurde hinzugefügt", link: "Zu deinem Konto",
      otherwise: "Das warst nicht du? Dann entferne den Passkey aus deinem Konto und ändere sofort dein Passwort."),
    passkeyNamed: { "Mit dem Passkey „\($0)“ kannst du dich jetzt bei deinem Speed-Konto anmelden." },
    passwordChanged: Wording(
      "Dein Passwort wurde geändert", text: "Das Passwort deines Speed-Kontos wurde gerade geändert.",
      link: "Passwort zurücksetzen", otherwise: "Das warst nicht du? Dann setze dein Passwort sofort zurück."),
    validFor: { "Code und Link gelten einmal und innerhalb der nächsten \($0) Minuten." },
    neverTell: "Gib diesen Code niemandem weiter. Niemand von Speed wird dich je danach fragen.")

  static let french = LetterTexts(
    verification: Wording(
      "Confirmez votre adresse e-mail",
      text:
        "Bienvenue chez Speed\u{A0}! Saisissez ce code pour confirmer votre adresse e-mail et terminer la création de votre compte Speed.",
      link: "Confirmer l’adresse e-mail",
      otherwise: "Ce n’était pas vous\u{A0}? Ignorez cet e-mail et aucun compte ne sera créé."),
    verificationForApp: {
      "Bienvenue chez Speed\u{A0}! Saisissez ce code pour confirmer votre adresse e-mail, puis continuez vers \($0) avec votre compte Speed."
    },
    newAddress: Wording(
      "Confirmez votre nouvelle adresse e-mail",
      text: "Saisissez ce code pour utiliser cette adresse avec votre compte Speed.",
      link: "Confirmer l’adresse e-mail",
      otherwise: "Ce n’était pas vous\u{A0}? Ignorez cet e-mail et rien ne changera."),
    addressInUse: Wording(
      "Vous avez déjà un compte Speed",
      text:
        "Quelqu’un, sans doute vous, a voulu créer un compte Speed avec cette adresse e-mail. Vous en avez déjà un\u{A0}: il suffit de vous connecter.",
      link: "Se connecter", otherwise: "Ce n’était pas vous\u{A0}? Vous n’avez rien à faire."),
    forgot: "Mot de passe oublié\u{A0}? Réinitialisez-le",
    reset: Wording(
      "Réinitialisez votre mot de passe",
      text: "Saisissez ce code pour choisir un nouveau mot de passe pour votre compte Speed.",
      link: "Choisir un nouveau mot de passe",
      otherwise: "Ce n’était pas vous\u{A0}? Ignorez cet e-mail. Votre mot de passe ne change pas."),
    addressChanged: Wording(
      "Votre adresse e-mail a été modifiée",
      otherwise:
        "Ce n’était pas vous\u{A0}? Quelqu’un d’autre a peut-être accès à votre compte. Contactez sans attendre l’assistance de Speed."
    ),
    addressChangedTo: {
      "L’adresse e-mail de votre compte Speed est désormais \($0). Vous ne pouvez plus vous connecter avec cette adresse-ci."
    },
    passkeyAdded: Wording(
      "Une clé d’accès a été ajoutée à votre compte", link: "Accéder à votre compte",
      otherwise:
        "Ce n’était pas vous\u{A0}? Supprimez la clé d’accès de votre compte et changez sans attendre votre mot de passe."
    ),
    passkeyNamed: {
      "La clé d’accès «\u{A0}\($0)\u{A0}» permet désormais de se connecter à votre compte Speed."
    },
    passwordChanged: Wording(
      "Votre mot de passe a été modifié", text: "Le mot de passe de votre compte Speed vient d’être modifié.",
      link: "Réinitialiser le mot de passe",
      otherwise: "Ce n’était pas vous\u{A0}? Réinitialisez sans attendre votre mot de passe."),
    validFor: { "Le code et le lien fonctionnent une seule fois, dans les \($0) minutes qui viennent." },
    neverTell: "Ne communiquez ce code à personne. Personne chez Speed ne vous le demandera jamais.")

  static let spanish = LetterTexts(
    verification: Wording(
      "Confirma tu correo electrónico",
      text:
        "¡Te damos la bienvenida a Speed! Escribe este código para confirmar tu correo electrónico y terminar de crear tu cuenta de Speed.",
      link: "Confirmar correo electrónico",
      otherwise: "¿No has sido tú? Ignora este correo y no se creará ninguna cuenta."),
    verificationForApp: {
      "¡Te damos la bienvenida a Speed! Escribe este código para confirmar tu correo electrónico y seguir en \($0) con tu cuenta de Speed."
    },
    newAddress: Wording(
      "Confirma tu nuevo correo electrónico",
      text: "Escribe este código para usar esta dirección en tu cuenta de Speed.",
      link: "Confirmar correo electrónico", otherwise: "¿No has sido tú? Ignora este correo y nada cambiará."),
    addressInUse: Wording(
      "Ya tienes una cuenta de Speed",
      text:
        "Alguien, seguramente tú, ha intentado crear una cuenta de Speed con este correo electrónico. Ya tienes una, así que solo tienes que iniciar sesión.",
      link: "Iniciar sesión", otherwise: "¿No has sido tú? No tienes que hacer nada."),
    forgot: "¿Has olvidado la contraseña? Restablécela",
    reset: Wording(
      "Restablece tu contraseña", text: "Escribe este código para elegir una contraseña nueva para tu cuenta de Speed.",
      link: "Elegir una contraseña nueva",
      otherwise: "¿No has sido tú? Ignora este correo. Tu contraseña seguirá siendo la misma."),
    addressChanged: Wording(
      "Tu correo electrónico se ha cambiado",
      otherwise:
        "¿No has sido tú? Puede que otra persona tenga acceso a tu cuenta. Ponte en contacto enseguida con la asistencia de Speed."
    ),
    addressChangedTo: {
      "El correo electrónico de tu cuenta de Speed ahora es \($0). Con esta dirección ya no se puede iniciar sesión."
    },
    passkeyAdded: Wording(
      "Se ha añadido una llave de acceso a tu cuenta", link: "Ir a tu cuenta",
      otherwise: "¿No has sido tú? Quita la llave de acceso de tu cuenta y cambia tu contraseña enseguida."),
    passkeyNamed: { "Ya puedes iniciar sesión en tu cuenta de Speed con la llave de acceso «\($0)»." },
    passwordChanged: Wording(
      "Tu contraseña se ha cambiado", text: "La contraseña de tu cuenta de Speed se acaba de cambiar.",
      link: "Restablecer la contraseña", otherwise: "¿No has sido tú? Restablece tu contraseña enseguida."),
    validFor: { "El código y el enlace sirven una sola vez, durante los próximos \($0) minutos." },
    neverTell: "No compartas este código con nadie. Nadie de Speed te lo pedirá nunca.")

  static let portuguese = LetterTexts(
    verification: Wording(
      "Confirme seu e-mail",
      text:
        "Boas-vindas ao Speed! Digite este código para confirmar seu e-mail e concluir a criação da sua conta Speed.",
      link: "Confirmar e-mail", otherwise: "Não foi você? Ignore este e-mail e nenhuma conta será criada."),
    verificationForApp: {
      "Boas-vindas ao Speed! Digite este código para confirmar seu e-mail e continuar em \($0) com sua conta Speed."
    },
    newAddress: Wording(
      "Confirme seu novo e-mail", text: "Digite este código para usar este endereço na sua conta Speed.",
      link: "Confirmar e-mail", otherwise: "Não foi você? Ignore este e-mail e nada vai mudar."),
    addressInUse: Wording(
      "Você já tem uma conta Speed",
      text:
        "Alguém, provavelmente você, tentou criar uma conta Speed com este e-mail. Você já tem uma, então é só entrar.",
      link: "Entrar", otherwise: "Não foi você? Não é preciso fazer nada."),
    forgot: "Esqueceu a senha? Redefina",
    reset: Wording(
      "Redefina sua senha", text: "Digite este código para escolher uma nova senha para sua conta Speed.",
      link: "Escolher nova senha", otherwise: "Não foi você? Ignore este e-mail. Sua senha continua a mesma."),
    addressChanged: Wording(
      "Seu e-mail foi alterado",
      otherwise:
        "Não foi você? Outra pessoa pode ter acesso à sua conta. Fale com o suporte do Speed imediatamente."),
    addressChangedTo: { "O e-mail da sua conta Speed agora é \($0). Não é mais possível entrar com este endereço." },
    passkeyAdded: Wording(
      "Uma chave de acesso foi adicionada à sua conta", link: "Ir para sua conta",
      otherwise: "Não foi você? Remova a chave de acesso da sua conta e altere sua senha imediatamente."),
    passkeyNamed: { "A chave de acesso “\($0)” já pode ser usada para entrar na sua conta Speed." },
    passwordChanged: Wording(
      "Sua senha foi alterada", text: "A senha da sua conta Speed acabou de ser alterada.", link: "Redefinir senha",
      otherwise: "Não foi você? Redefina sua senha imediatamente."),
    validFor: { "O código e o link valem uma única vez, durante os próximos \($0) minutos." },
    neverTell: "Não compartilhe este código com ninguém. Ninguém do Speed vai pedir que você o informe.")

  static let japanese = LetterTexts(
    verification: Wording(
      "メールアドレスをご確認ください",
      text: "Speedへようこそ。次のコードを入力してメールアドレスを確認し、Speedアカウントの作成を完了してください。",
      link: "メールアドレスを確認", otherwise: "お心当たりがない場合は、このメールを無視してください。アカウントは作成されません。"),
    verificationForApp: {
      "Speedへようこそ。次のコードを入力してメールアドレスを確認してください。確認後、Speedアカウントで\($0)に進みます。"
    },
    newAddress: Wording(
      "新しいメールアドレスをご確認ください", text: "このアドレスをSpeedアカウントで使うには、次のコードを入力してください。",
      link: "メールアドレスを確認", otherwise: "お心当たりがない場合は、このメールを無視してください。何も変更されません。"),
    addressInUse: Wording(
      "Speedアカウントをすでにお持ちです",
      text: "このメールアドレスでSpeedアカウントを作成する操作が行われました。すでにアカウントをお持ちですので、そのままサインインできます。",
      link: "サインイン", otherwise: "お心当たりがない場合も、特に操作は必要ありません。"),
    forgot: "パスワードを忘れた場合は再設定",
    reset: Wording(
      "パスワードの再設定", text: "Speedアカウントの新しいパスワードを設定するには、次のコードを入力してください。",
      link: "新しいパスワードを設定", otherwise: "お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。"),
    addressChanged: Wording(
      "メールアドレスが変更されました",
      otherwise: "お心当たりがない場合は、第三者がアカウントにアクセスしている可能性があります。すぐにSpeedのサポートにご連絡ください。"),
    addressChangedTo: {
      "Speedアカウントのメールアドレスが \($0) に変更されました。このアドレスではサインインできなくなりました。"
    },
    passkeyAdded: Wording(
      "パスキーが追加されました", link: "アカウントを開く",
      otherwise: "お心当たりがない場合は、すぐにアカウントからパスキーを削除し、パスワードを変更してください。"),
    passkeyNamed: { "パスキー「\($0)」でSpeedアカウントにサインインできるようになりました。" },
    passwordChanged: Wording(
      "パスワードが変更されました", text: "Speedアカウントのパスワードが変更されました。", link: "パスワードを再設定",
      otherwise: "お心当たりがない場合は、すぐにパスワードを再設定してください。"),
    validFor: { "コードとリンクは、\($0)分以内に一度だけ使えます。" },
    neverTell: "このコードを誰にも教えないでください。Speedの担当者がお尋ねすることはありません。")
}
