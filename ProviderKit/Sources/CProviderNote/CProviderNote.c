#include "CProviderNote.h"
#include <stdint.h>

#define NAME "speedgw"
#define DESCRIPTION SPEED_PROVIDER_KIT "\0" SPEED_PROVIDER_ARCHITECTURE "\0" SPEED_PROVIDER_COMPILER

// An ELF note, read from a plugin's file before it is loaded: three NUL-terminated strings.
// `retain` keeps it through the linker's garbage collection: nothing refers to it.
__attribute__((used, retain, aligned(4), section(".note.speedgw"))) static const struct {
  uint32_t name_size, description_size, type;
  char name[sizeof(NAME)];
  char description[sizeof(DESCRIPTION)];
} note = {sizeof(NAME), sizeof(DESCRIPTION), 1, NAME, DESCRIPTION};

const char *speed_provider_kit(void) { return SPEED_PROVIDER_KIT; }
const char *speed_provider_architecture(void) { return SPEED_PROVIDER_ARCHITECTURE; }
const char *speed_provider_compiler(void) { return SPEED_PROVIDER_COMPILER; }
