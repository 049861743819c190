// What a plugin and the gateway must have in common before one may load the other: the version of ProviderKit,
// the architecture and the exact compiler, because ProviderKit's types have no stable layout between compilers.
#pragma once

// Raised with every change of a public declaration of ProviderKit.
#define SPEED_PROVIDER_KIT "5"

#if defined(__x86_64__)
#define SPEED_PROVIDER_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define SPEED_PROVIDER_ARCHITECTURE "aarch64"
#else
#error "speed-gateway runs on x86_64 and aarch64"
#endif

// The Swift toolchain's own clang names the commit that it was built from.
#define SPEED_PROVIDER_COMPILER __VERSION__

// The same three strings for the gateway to compare a plugin's note with.
const char *speed_provider_kit(void);
const char *speed_provider_architecture(void);
const char *speed_provider_compiler(void);
