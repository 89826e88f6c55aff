#include "daemon/workers.h"

#include "core/base.h"
#include "daemon/delivery/delivery.h"
#include "daemon/intake/intake.h"
#include "daemon/reading/reader.h"

const struct worker_kind workers[] = {
	{"intake", intake_worker},
	{"reader", reader_worker},
	{"delivery", delivery_worker},
};
const size_t n_workers = ARRAY_SIZE(workers);
