/*
 * Valid by an order of instants: docs/format-witness.md, "Instants".
 */
#include "verify/instants.h"

enum status verify_instant_order(struct verifier *v, struct error *err)
{
    TRY(versions_build(v, err));
    TRY(instants_build(v, err));
    return verify_refuse(v, err, "orders of instants are not judged yet");
}
