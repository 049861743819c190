import GatewayIO
import GatewayPlugins
import Glibc

StandardStream.occupyMissing()
let arguments = Array(CommandLine.arguments.dropFirst())
// Before anything else: a trial load starts this process for nothing but that.
if arguments.first == PluginTrial.command { PluginTrial.run(Array(arguments.dropFirst())) }
// Not `exit`: its handlers would take libraries apart under threads that still run.
_exit(await CommandLineTool(environment: Environment.variables).run(arguments))
