extension Texts {
  static let portuguese = Texts(
    common: Common(
      brand: "Conta Speed", titleOfProblem: { "Erro: \($0)" },
      name: "Nome", email: "E-mail", password: "Senha", showPassword: "Mostrar senha", hidePassword: "Ocultar senha",
      passwordHint: {
        "Pelo menos \($0) caracteres. Algumas palavras em sequência são fáceis de lembrar e difíceis de adivinhar."
      },
      or: "ou", backToSignIn: "Voltar para o login", browserOnDevice: { "\($0) no \($1)" },
      unknownBrowser: "Navegador desconhecido"),
    signIn: SignIn(
      heading: "Entrar", headingForApp: { "Continuar em \($0)" }, lead: "Com sua conta Speed.",
      linkHeading: "Vincular sua conta Speed",
      linkLead: { "Entre na conta Speed que você quer vincular a \($0)." },
      confirmHeading: "Confirme que é você", confirmLead: "Entre novamente para continuar.",
      forgot: "Esqueceu a senha?", button: "Entrar", passkey: "Entrar com chave de acesso",
      passkeyFailed: "A chave de acesso não foi usada. Tente de novo ou entre com sua senha.",
      newHere: "É novo no Speed?", create: "Criar conta"),
    signUp: SignUp(
      heading: "Crie sua conta Speed", lead: "Uma única conta para todos os apps Speed.",
      leadForApp: { "Depois, continue em \($0)." }, nameHint: "É o nome que os apps vão ver.",
      button: "Criar conta", haveOne: "Já tem uma conta Speed?", signIn: "Entrar"),
    codes: Codes(
      code: { "Código de \($0) dígitos" }, verifyHeading: "Confira seu e-mail",
      sentTo: { "Enviamos um código para \($0). Digite-o aqui ou abra o link do e-mail." },
      sent: "Enviamos um código para você. Digite-o aqui ou abra o link do e-mail.",
      verifyLinkHeading: "Confirme seu e-mail", verifyLinkLead: "Só mais um passo para confirmar seu e-mail.",
      verifyLinkLeadFor: { "Só mais um passo para confirmar \($0)." }, verifyButton: "Confirmar",
      nothingCame: "Não chegou nada? Olhe também na pasta de spam.", resend: "Enviar novo código",
      resetHeading: "Redefinir sua senha",
      resetLead: "Digite o e-mail da sua conta Speed e enviaremos um código.", resetButton: "Enviar código",
      newHeading: "Escolha uma nova senha",
      newSentTo: { "Se houver uma conta Speed com \($0), um código está a caminho." },
      newSent: "Se houver uma conta Speed com esse e-mail, um código está a caminho.",
      newLead: "Você vai usá-la para entrar na sua conta Speed a partir de agora.", firstHeading: "Escolha uma senha",
      firstLead: "Você abriu o link em outro navegador. Para sua segurança, escolha sua senha aqui.",
      newPassword: "Nova senha",
      newButton: "Salvar senha"),
    consent: Consent(
      heading: { "Continuar em \($0)?" }, shared: { "\($0) vai receber:" }, name: "Seu nome", photo: "Sua foto",
      email: "Seu e-mail", promise: "Sua senha fica só com o Speed.", allow: "Continuar", deny: "Cancelar",
      linkHeading: { "Vincular sua conta Speed a \($0)?" },
      linkLead: { "Sua conta em \($0) vai usar o perfil e o saldo desta conta Speed." },
      linkAllow: "Vincular conta", signedInAs: "Você entrou como", otherAccount: "Usar outra conta"),
    account: Account(
      heading: "Sua conta Speed", profile: "Perfil", change: "Alterar",
      save: "Salvar", currentPassword: "Senha atual", newPassword: "Nova senha", newEmail: "Novo e-mail",
      newEmailHint: "Enviaremos um código para o novo endereço. Nada muda até você digitá-lo.",
      sendCode: "Enviar código", passkeys: "Chaves de acesso",
      noPasskeys: "Entre com seu rosto, sua digital ou o bloqueio de tela, sem senha.",
      addPasskey: "Adicionar chave de acesso", added: { "Adicionada: \($0)" }, lastUsed: { "Último uso: \($0)" },
      remove: "Remover",
      removeText: "Você não poderá mais entrar com esta chave de acesso.", removeButton: "Remover chave de acesso",
      sessions: "Onde você está conectado", thisBrowser: "Este navegador", signOut: "Sair",
      signOutOf: { "Sair: \($0)" }, everywhere: "Sair de todos os lugares",
      everywhereText: "Você vai sair de todos os navegadores e de todos os apps, inclusive deste navegador.",
      everywhereButton: "Sair de tudo"),
    passkey: PasskeyPage(
      heading: "Adicionar chave de acesso",
      lead:
        "Entre com seu rosto, sua digital ou o bloqueio de tela. Uma chave de acesso não pode ser adivinhada e só funciona aqui.",
      name: "Nome da chave de acesso", nameHint: "Para diferenciar suas chaves de acesso.",
      button: "Criar chave de acesso", back: "Voltar para sua conta",
      unsupported: "As chaves de acesso não funcionam neste navegador. Tente outro navegador ou dispositivo.",
      exists: "Este dispositivo já tem uma chave de acesso para sua conta.",
      failed: "Nenhuma chave de acesso foi criada. Tente de novo quando quiser."),
    expired: Expired(
      heading: "Este link não vale mais",
      text: "Para sua segurança, links e códigos valem uma única vez e por pouco tempo.",
      startAgain: "Começar de novo"),
    times: Times(
      now: "agora mesmo", minutes: { $0 == 1 ? "há 1 minuto" : "há \($0) minutos" },
      hours: { $0 == 1 ? "há 1 hora" : "há \($0) horas" }, days: { $0 == 1 ? "ontem" : "há \($0) dias" },
      date: { year, month, day in
        let months = [
          "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
          "novembro", "dezembro",
        ]
        return "\(day == 1 ? "1º" : String(day)) de \(months[month - 1]) de \(year)"
      }),
    problem: portuguese(problem:), notice: portuguese(notice:))

  private static func portuguese(problem: Problem) -> String {
    switch problem {
    case .wrongCredentials: "O e-mail e a senha não correspondem."
    case .tooManyTries(let seconds): "Tentativas demais. Tente de novo em \(wait(seconds)) ou redefina sua senha."
    case .tooManyRequests(let seconds): "Pedidos demais. Tente de novo em \(wait(seconds))."
    case .passkeyRefused: "Essa chave de acesso não funcionou. Tente de novo ou entre com sua senha."
    case .passkeyNotAdded: "Não foi possível adicionar a chave de acesso. Tente de novo."
    case .tooManyPasskeys(let limit): "Você pode ter até \(limit) chaves de acesso. Remova uma para adicionar outra."
    case .nameMissing: "Digite seu nome."
    case .nameTooLong: "Esse nome é longo demais."
    case .emailMissing: "Digite seu e-mail."
    case .emailMalformed: "Digite um e-mail completo, como nome@example.com."
    case .emailUnchanged: "Esse já é o seu e-mail."
    case .passwordMissing: "Digite uma senha."
    case .passwordTooShort(let minimum): "Use pelo menos \(minimum) caracteres."
    case .passwordTooLong: "Essa senha é longa demais."
    case .passwordCommon: "Essa é uma das primeiras senhas que alguém tentaria. Escolha outra."
    case .passwordPersonal: "Essa senha se parece demais com seu nome ou e-mail. Escolha outra."
    case .currentPasswordWrong: "Essa não é sua senha atual."
    case .codeMissing: "Digite o código do e-mail."
    case .codeWrong: "Esse código não está certo. Confira e tente de novo."
    case .mailUnavailable: "Não conseguimos enviar e-mails agora. Tente de novo em alguns minutos."
    case .busy: "Há muito movimento agora. Tente de novo em instantes."
    }
  }

  private static func wait(_ seconds: Int) -> String {
    switch Wait(seconds: seconds) {
    case .seconds(let count): count == 1 ? "1 segundo" : "\(count) segundos"
    case .minutes(let count): count == 1 ? "1 minuto" : "\(count) minutos"
    case .hours(let count): count == 1 ? "1 hora" : "\(count) horas"
    }
  }

  private static func portuguese(notice: Notice) -> String {
    switch notice {
    case .signedOut: "Você saiu da sua conta."
    case .nameChanged: "Seu nome foi alterado."
    case .emailChanged: "Seu e-mail foi alterado."
    case .passwordChanged: "Sua senha foi alterada."
    case .passkeyAdded: "Sua chave de acesso foi adicionada."
    case .passkeyRemoved: "A chave de acesso foi removida."
    case .sessionEnded: "Esse navegador foi desconectado."
    case .signedOutEverywhere: "Você saiu de todos os lugares."
    case .codeSent: "Enviamos um novo código."
    }
  }
}
