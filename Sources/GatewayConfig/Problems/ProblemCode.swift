/// What kind of fault a problem is: stable, compared by programs, listed in the reference of errors.
package enum ProblemCode: String, Sendable, CaseIterable {
  // The text
  case unreadableFile = "unreadable_file"
  case invalidYAML = "invalid_yaml"
  case unsupportedYAML = "unsupported_yaml"
  case emptyFile = "empty_file"
  // The keys of one file
  case unknownKey = "unknown_key"
  case duplicateKey = "duplicate_key"
  case missingKey = "missing_key"
  case notYetActive = "not_yet_active"
  // The values of one file
  case invalidValue = "invalid_value"
  case emptyValue = "empty_value"
  case plainSecret = "plain_secret"
  case secretMissing = "secret_missing"
  case unusableLogo = "unusable_logo"
  case unknownBackend = "unknown_backend"
  case unknownProvider = "unknown_provider"
  case reservedScheme = "reserved_scheme"
  case weakScheme = "weak_scheme"
  case reservedPath = "reserved_path"
  case unknownVariable = "unknown_variable"
  // Across files
  case duplicateApp = "duplicate_app"
  case duplicateDomain = "duplicate_domain"
  case duplicateServerKey = "duplicate_server_key"
  case reservedDomain = "reserved_domain"
  case bundleIDConflict = "bundle_id_conflict"
  case sharedScheme = "shared_scheme"
  // Against what the store knows
  case teamChanged = "team_changed"
  // Of the world around, told with --online alone
  case unresolvedName = "unresolved_name"
  case certificateProblem = "certificate_problem"
}
