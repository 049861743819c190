import Glibc

/// Removes an empty folder.
func removeFolder(_ path: String) { _ = unsafe rmdir(path) }
