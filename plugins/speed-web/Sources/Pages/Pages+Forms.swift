import ProviderKit

/// A field that people fill in.
struct InputField {
  let field: Field
  let label: String
  /// The value of `autocomplete`.
  let autocomplete: String
  /// Its `id`, where the page has several of this field.
  var id: String?
  var type = "text"
  var value = ""
  /// More attributes.
  var attributes: HTML = ""
  var hint: String?
  /// The form's problem: shown here where it is about this field.
  var problem: Problem?
  /// Where the keyboard goes first, unless the form has a problem elsewhere.
  var isFirst = false
}

extension Pages {
  /// An ordinary form, with what proves that it was shown to this browser.
  ///
  /// - Parameters:
  ///   - hidden: fields that nobody sees.
  ///   - attributes: further ones of the form.
  static func form(
    _ frame: PageFrame, to path: PagePath, hidden: [(String, String)] = [], attributes: HTML = "", _ content: HTML
  ) -> HTML {
    let fields = ([(PageRequest.formField, frame.request.formToken)] + hidden).map { name, value in
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">" as HTML
    }
    return """
      <form method="post" action="\(path.link(frame.visit))"\(attributes)>
      \(fields)
      \(content)
      </form>
      """
  }

  static func input(_ frame: PageFrame, _ input: InputField) -> HTML {
    let texts = frame.language.texts
    let id = input.id ?? input.field.rawValue
    let problem = input.problem.flatMap { $0.field == input.field ? $0 : nil }
    let needsAnswer = input.problem == .wrongCredentials && input.field == .password
    var described: [String] = []
    if input.hint != nil { described.append(id + "-hint") }
    if problem != nil { described.append(id + "-problem") }
    if needsAnswer { described.append("problem") }
    let isFirst = problem != nil || needsAnswer || (input.isFirst && input.problem == nil)
    let control: HTML = """
      <input id="\(id)" name="\(input.field.rawValue)" type="\(input.type)" value="\(input.value)" \
      autocomplete="\(input.autocomplete)" required\(input.attributes)\
      \(described.isEmpty ? "" : " aria-describedby=\"\(described.joined(separator: " "))\"" as HTML)\
      \(problem == nil ? "" : " aria-invalid=\"true\"" as HTML)\(isFirst ? " autofocus" as HTML : "")>
      """
    let eye: HTML = """
      <button type="button" class="eye" hidden aria-controls="\(id)" aria-label="\(texts.common.showPassword)" \
      data-show="\(texts.common.showPassword)" data-hide="\(texts.common.hidePassword)">\(Icons.eye)</button>
      """
    return """
      <div class="field">
      <label for="\(id)">\(input.label)</label>
      \(input.type == "password" ? "<div class=\"secret\">\(control)\(eye)</div>" as HTML : control)
      \(problem.map { "<p class=\"wrong\" id=\"\(id)-problem\" role=\"alert\">\(texts.problem($0))</p>" as HTML } ?? "")
      \(input.hint.map { "<p class=\"hint\" id=\"\(id)-hint\">\($0)</p>" as HTML } ?? "")
      </div>
      """
  }

  static func email(
    _ frame: PageFrame, label: String? = nil, id: String? = nil, value: String, autocomplete: String,
    attributes: HTML = "", hint: String? = nil, problem: Problem?
  ) -> HTML {
    input(
      frame,
      InputField(
        field: .email, label: label ?? frame.language.texts.common.email, autocomplete: autocomplete, id: id,
        type: "email", value: value,
        attributes: " maxlength=\"254\" autocapitalize=\"none\" spellcheck=\"false\"\(attributes)",
        hint: hint, problem: problem))
  }

  static func newPassword(
    _ frame: PageFrame, label: String, id: String? = nil, minimum: Int, problem: Problem?, isFirst: Bool = false
  ) -> HTML {
    let saysLength = problem == .passwordTooShort(minimum: minimum)
    return input(
      frame,
      InputField(
        field: .password, label: label, autocomplete: "new-password", id: id, type: "password",
        attributes: " minlength=\"\(String(minimum))\"",
        hint: saysLength ? nil : frame.language.texts.common.passwordHint(minimum),
        problem: problem, isFirst: isFirst))
  }

  /// The present password, asked for before a change.
  static func currentPassword(_ frame: PageFrame, id: String, problem: Problem?) -> HTML {
    input(
      frame,
      InputField(
        field: .currentPassword, label: frame.language.texts.account.currentPassword, autocomplete: "current-password",
        id: id, type: "password", problem: problem))
  }

  static func code(_ frame: PageFrame, value: String, digits: Int, problem: Problem?) -> HTML {
    input(
      frame,
      InputField(
        field: .code, label: frame.language.texts.codes.code(digits), autocomplete: "one-time-code", value: value,
        attributes: " class=\"code\" inputmode=\"numeric\" autocapitalize=\"none\" spellcheck=\"false\"",
        problem: problem, isFirst: true))
  }

  /// What the page has to say before its form: what was done, and what is wrong with the form as a whole.
  static func messages(_ frame: PageFrame, notice: Notice? = nil, problem: Problem? = nil) -> HTML {
    let texts = frame.language.texts
    let note = notice.map { "<p class=\"note\" role=\"status\">\(texts.notice($0))</p>" as HTML } ?? ""
    guard let problem, problem.field == nil else { return note }
    // With wrong credentials the keyboard goes to the password at once, which is described by this.
    let focus: HTML = problem == .wrongCredentials ? "" : " tabindex=\"-1\" autofocus"
    return "\(note)<p class=\"alert\" id=\"problem\" role=\"alert\"\(focus)>\(texts.problem(problem))</p>"
  }

  static func button(_ id: String, _ label: String, style: HTML = "", attributes: HTML = "") -> HTML {
    "<button id=\"\(id)\"\(style)\(attributes)>\(label)</button>"
  }
}
