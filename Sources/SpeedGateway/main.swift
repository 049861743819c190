import GatewayIO
import GatewayPlugins
import Glibc

// Before anything else: this process may be that of a plugin.
PluginChild.resume(Environment.variables)
StandardStream.occupyMissing()
let arguments = Array(CommandLine.arguments.dropFirst())
// A trial load, and a plugin with a process of its own, start this process for nothing but that.
if arguments.first == PluginTrial.command { PluginTrial.run(Array(arguments.dropFirst())) }
if arguments.first == PluginChild.command { PluginChild.run(Array(arguments.dropFirst())) }
// Not `exit`: its handlers would take libraries apart under threads that still run.
_exit(await CommandLineTool(environment: Environment.variables).run(arguments))
