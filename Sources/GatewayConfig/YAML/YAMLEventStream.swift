import CYAML

/// One step of a YAML file as libyaml reports it, before aliases or tags mean anything.
struct YAMLEvent {
  enum Kind {
    case documentStart
    case streamEnd
    case scalar(String, isPlain: Bool)
    case sequenceStart, sequenceEnd
    case mappingStart, mappingEnd
    case alias
    /// What carries nothing for us: the start of the stream, the end of a document.
    case other
  }

  let kind: Kind
  let place: Place
  var hasAnchor = false
  var hasTag = false
}

/// A fault that libyaml found.
struct YAMLSyntaxFault: Error {
  let place: Place
  let problem: String
  /// What was being read, and where that began.
  let context: String?
  let contextLine: Int
}

/// libyaml's event stream over bytes in memory.
///
/// `@safe`: the parser and its input live in memory that this object allocates in `init` and frees in `deinit`;
/// each event is copied into Swift values and deleted before `next` returns.
@safe final class YAMLEventStream {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(_ bytes: [UInt8]) {
    unsafe input = .allocate(capacity: bytes.count)
    _ = unsafe input.initialize(from: bytes)
    unsafe parser = .allocate(capacity: 1)
    let isReady = unsafe yaml_parser_initialize(parser)
    precondition(isReady == 1, "out of memory")
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe input.deallocate()
  }

  func next() throws(YAMLSyntaxFault) -> YAMLEvent {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw fault }
    defer { unsafe yaml_event_delete(&event) }
    return unsafe copy(event)
  }

  private func copy(_ event: yaml_event_t) -> YAMLEvent {
    let place = unsafe Place(event.start_mark)
    switch unsafe event.type {
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, place: place)
    case YAML_STREAM_END_EVENT: return YAMLEvent(kind: .streamEnd, place: place)
    case YAML_ALIAS_EVENT: return YAMLEvent(kind: .alias, place: place)
    case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, place: place)
    case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, place: place)
    case YAML_SEQUENCE_START_EVENT:
      let data = unsafe event.data.sequence_start
      return unsafe YAMLEvent(
        kind: .sequenceStart, place: place, hasAnchor: data.anchor != nil, hasTag: data.tag != nil)
    case YAML_MAPPING_START_EVENT:
      let data = unsafe event.data.mapping_start
      return unsafe YAMLEvent(
        kind: .mappingStart, place: place, hasAnchor: data.anchor != nil, hasTag: data.tag != nil)
    case YAML_SCALAR_EVENT:
      let data = unsafe event.data.scalar
      let text = unsafe String(decoding: UnsafeBufferPointer(start: data.value, count: data.length), as: UTF8.self)
      let isPlain = unsafe data.style == YAML_PLAIN_SCALAR_STYLE
      return unsafe YAMLEvent(
        kind: .scalar(text, isPlain: isPlain), place: place, hasAnchor: data.anchor != nil, hasTag: data.tag != nil)
    default: return YAMLEvent(kind: .other, place: place)
    }
  }

  private var fault: YAMLSyntaxFault {
    let state = unsafe parser.pointee
    return unsafe YAMLSyntaxFault(
      place: Place(state.problem_mark),
      problem: state.problem.map { unsafe String(cString: $0) } ?? "not YAML",
      context: state.context.map { unsafe String(cString: $0) },
      contextLine: Int(clamping: state.context_mark.line) + 1)
  }
}

extension Place {
  /// libyaml counts from 0, columns in characters.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
  }
}
