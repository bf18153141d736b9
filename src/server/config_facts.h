/* What a configuration means on this machine. */
#ifndef CUZK_SERVER_CONFIG_FACTS_H
#define CUZK_SERVER_CONFIG_FACTS_H

#include "server/config.h"

/* The backend of the first device: "cpu", "cuda" or "null"; auto is cuda where a device is here. */
void cuzk_config_backend(const struct cuzk_config *config, char *text, size_t room);

#endif
