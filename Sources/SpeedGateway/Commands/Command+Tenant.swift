import GatewayConfig
import GatewayIO

extension Command {
  static let tenant = Command(
    "tenant", "begin a new app", example: "speed-gateway tenant new notes",
    .group([
      Command(
        "new", "write a commented file to begin with; it checks clean, and has an app ID that is free",
        operands: Operands(
          name: "NAME", help: "of the file, the app and its first domain: lower-case letters, digits and -",
          count: 1...1),
        notes: "An existing file is never overwritten. The schema for editors is written beside it.",
        example: "speed-gateway tenant new notes --config gateway.yaml", .action(newTenant))
    ]))

  @Sendable private static func newTenant(_ invocation: Invocation) async throws -> Int32 {
    let name = invocation.operands[0]
    guard TenantStart.isName(name) else {
      throw UsageError("NAME is made of lower-case letters, digits and -, 63 at most, a letter or digit at both ends")
    }
    let settings = try Settings(invocation)
    let folder = settings.configuration.tenants
    let path = FilePath.join(folder, "\(name).yaml")
    let files = await TenantCache().files(below: folder, environment: settings.environment)
    let start = TenantStart(name: name, appID: TenantStart.freeAppID(besides: files))
    do throws(NewFile.Failure) {
      try NewFile.makeFolder(folder)
      try NewFile.write(start.text, to: path)
      try NewFile.replace(FilePath.join(folder, TenantStart.schemaName), with: JSONSchema.tenant)
    } catch {
      throw error.isThere ? CommandFailure("\(path) is there already, and is left as it is") : error
    }
    try StandardStream.output.write("\(path): app \(start.appID) at \(name).localhost\n")
    return 0
  }
}
