#include "CProviderNote.h"
