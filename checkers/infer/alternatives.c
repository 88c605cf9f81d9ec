#include "checkers/infer/alternatives.h"
enum status infer_try_alternatives(struct judging *j, enum level level, struct error *err)
{ (void)j; (void)level; (void)err; return STATUS_OK; }
