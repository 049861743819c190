import GatewayIO
import Glibc
import Testing

@Suite("The limit of descriptors") struct DescriptorLimitTests {
  @Test("it is raised to the hard limit, and is told as it is from then on")
  func raise() throws {
    let raised = try DescriptorLimit.raise()
    var limit = rlimit()
    #expect(unsafe getrlimit(__rlimit_resource_t(bitPattern: RLIMIT_NOFILE.rawValue), &limit) == 0)
    #expect(limit.rlim_cur == limit.rlim_max)
    #expect(raised == Int(clamping: limit.rlim_cur))
    #expect(try DescriptorLimit.raise() == raised)
  }
}
