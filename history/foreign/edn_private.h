/* edn_private: strings, for the lexer alone. */
#ifndef HISTORY_FOREIGN_EDN_PRIVATE_H
#define HISTORY_FOREIGN_EDN_PRIVATE_H

#include "history/foreign/edn.h"

/* Faster than text_is_utf8() where it is ASCII, as nearly all is. */
bool edn_is_utf8(struct text);
/* From the opening quote to behind the closing one. */
MUST_USE enum status edn_take_string(struct edn *, struct text *, struct error *);

#endif
