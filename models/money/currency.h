/* currency: the codes of ISO 4217 that money can be in. */
#ifndef SLUICE_MODELS_MONEY_CURRENCY_H
#define SLUICE_MODELS_MONEY_CURRENCY_H

#include <stdbool.h>

/* Is it the code of a currency in circulation? XXX, XTS and metals are not. */
bool currency_known(const char *code);
/* The code that was probably meant; NULL: none is near. */
const char *currency_nearest(const char *code);

#endif
