import ProviderKit

/// The pictures of the pages. They say nothing that the text beside them does not.
enum Icons {
  /// Speed's mark: three strokes that lean forward.
  static let speed: HTML = """
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M9.6 4h10.9l-1.2 4H8.4zM6.2 10h11.6l-1.2 4H5zM5.8 16h8.2l-1.2 4H4.600z"/></svg>
    """

  static let person: HTML = icon(
    """
    <circle cx="12" cy="8" r="4"/><path d="M4.500 20.500c1-4 4-6 7.500-6s6.500 2 7.500 6"/>
    """)

  static let photo: HTML = icon(
    """
    <rect x="3" y="5" width="18" height="14" rx="3"/><circle cx="8.500" cy="10" r="1.500"/><path d="m4 17.500 5-4 3 2.500 4-4.500 5 5.500"/>
    """)

  static let letter: HTML = icon(
    """
    <rect x="3" y="5" width="18" height="14" rx="3"/><path d="m4 7.500 8 6 8-6"/>
    """)

  static let lock: HTML = icon(
    """
    <rect x="5" y="10.500" width="14" height="10" rx="2.500"/><path d="M8 10.500V8a4 4 0 0 1 8 0v2.500"/>
    """)

  static let passkey: HTML = icon(
    """
    <circle cx="9" cy="8" r="4"/><path d="M2.500 20.500c.6-3.700 3-6 6.500-6 .9 0 1.700.1 2.400.4"/><circle cx="17.500" cy="12.500" r="2.700"/><path d="M17.500 15.200v6l2-1.800M17.500 18.500h1.500"/>
    """)

  /// An eye, crossed out while what it shows is hidden.
  static let eye: HTML = icon(
    """
    <path d="M2.500 12C4.300 8 7.800 5.500 12 5.500S19.700 8 21.500 12c-1.800 4-5.300 6.500-9.500 6.500S4.300 16 2.500 12z"/><circle cx="12" cy="12" r="3"/><path class="lid" d="m4.500 4.500 15 15"/>
    """)

  private static func icon(_ shapes: HTML) -> HTML {
    """
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">\(shapes)</svg>
    """
  }
}
