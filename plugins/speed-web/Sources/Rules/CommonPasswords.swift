/// The passwords that are tried first: common words as they are varied, runs of keys, and one thing again and again.
/// A rule in place of a list, as most long ones of every list are a short one with something at its end.
enum CommonPasswords {
  /// The letters of a password as a dictionary has them: what is commonly put in place of letters turned back, what
  /// stands around them left out.
  static func skeleton(_ password: String) -> String {
    let scalars = Array(password.lowercased().unicodeScalars)
    let isLetter = { (scalar: Unicode.Scalar) in scalar.properties.isAlphabetic }
    guard let first = scalars.firstIndex(where: isLetter), let last = scalars.lastIndex(where: isLetter) else {
      return ""
    }
    return String(String.UnicodeScalarView(scalars[first...last].map { substitutes[$0] ?? $0 }.filter(isLetter)))
  }

  static func contains(_ password: String, skeleton: String) -> Bool {
    isRepetition(password) || isRun(password) || isWords(skeleton)
      || isWords(String(password.lowercased().filter(\.isLetter)))
  }

  private static let substitutes: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]

  /// Three signs at most, or one part of up to five over and over.
  private static func isRepetition(_ password: String) -> Bool {
    let signs = Array(password.lowercased())
    if Set(signs).count <= 3 { return true }
    return (1...5).contains { length in
      signs.count >= 2 * length && signs.indices.allSatisfy { signs[$0] == signs[$0 % length] }
    }
  }

  /// Neighbours of the alphabet, of the digits or of the keyboard one after the other, in runs of three or more, and
  /// little else.
  private static func isRun(_ password: String) -> Bool {
    let signs = Array(password.lowercased())
    var covered = 0
    var start = 0
    while start < signs.count {
      var end = start + 1
      var rows = rows.filter { $0.contains(signs[start]) }
      while end < signs.count {
        let next = rows.filter { row in
          guard let at = row.firstIndex(of: signs[end - 1]) else { return false }
          return (at + 1 < row.count && row[at + 1] == signs[end]) || (at > 0 && row[at - 1] == signs[end])
        }
        if next.isEmpty { break }
        rows = next
        end += 1
      }
      if end - start >= 3 { covered += end - start }
      start = end
    }
    return signs.count - covered <= 3
  }

  private static let rows = [
    "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiopü", "azertyuiop",
    "qsdfghjklm", "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "1q2w3e4r5t6y7u8i9o0p", "!@#$%^&*()",
  ].map(Array.init)

  /// Nothing but common words, one or several.
  private static func isWords(_ letters: String) -> Bool {
    guard letters.count >= 3 else { return false }
    var rest = letters[...]
    var left = 0
    while !rest.isEmpty {
      if let word = words.first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(word.count)
      } else {
        rest = rest.dropFirst()
        left += 1
        if left > 2 { return false }
      }
    }
    return true
  }

  /// The longest first, so that the longest that fits is taken.
  private static let words = """
    password passwort passwd passw pass mypassword motdepasse contraseña contrasena senha kennwort secret geheim letmein
    welcome willkommen bienvenue bienvenido login admin administrator root user guest test testing temp default changeme
    change please qwerty qwertz azerty asdf zxcv iloveyou loveyou iloveu love lover lovely teamo tequiero jetaime amor
    sunshine princess prinzessin princesa dragon monkey master football futbol fussball soccer baseball basketball hockey
    superman batman spiderman starwars pokemon naruto minecraft fortnite whatever trustno trustnoone hello hallo hola
    bonjour freedom michael jennifer jessica ashley daniel thomas andrew charlie jordan robert matthew george hunter
    killer shadow summer sommer winter spring autumn monday friday january february march april june july august
    september october november december flower blossom cookie chocolate cheese banana computer internet samsung google
    facebook linkedin microsoft windows android apple iphone nintendo playstation london berlin paris madrid america
    england germany france liverpool chelsea arsenal barcelona realmadrid juventus ferrari porsche mercedes yamaha harley
    access qazwsx abcdef abc xyz mynoob speed gateway family familia mother father baby angel jesus christ god
    blessed lucky forever nothing blink ninja pepper ginger buster tigger maggie bailey purple orange silver
    golden yellow black white blue red green the my is im you
    """.split { $0.isWhitespace }.map(String.init).sorted { $0.count > $1.count }
}
