import Foundation
import SpeedAuth

func notesClient() throws(ConfigurationFault) -> SpeedAuthClient {
  let configuration = try SpeedAuthConfiguration(
    app: .id(123), origins: ["https://notes.example.com"], callbackScheme: "com.example.notes")
  #if canImport(Security)
    return SpeedAuthClient(configuration, storage: KeychainStorage())
  #else
    return SpeedAuthClient(configuration, storage: FileStorage(URL.homeDirectory.appending(path: ".notes")))
  #endif
}
