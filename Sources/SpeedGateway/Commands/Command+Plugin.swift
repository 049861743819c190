import GatewayIO
import GatewayPlugins

extension Command {
  static let plugin = Command(
    "plugin", "look at the sign-in providers", example: "speed-gateway plugin list",
    .group([
      Command(
        "list", "name, version, ABI and state of each plugin; exit code 1 where one can't be loaded",
        example: "speed-gateway plugin list --config gateway.yaml",
        .action { invocation in
          let catalog = PluginCatalog.load(folder: try Settings(invocation).configuration.plugins)
          try StandardStream.output.write(PluginTable.text(catalog))
          return catalog.isComplete ? 0 : 1
        })
    ]))
}
