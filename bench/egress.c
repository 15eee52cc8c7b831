#include "egress.h"

static const char help[] =
	"From a change of the rib to bytes that are on their way.\n"
	"  encode_update   ns for each update at 1, 10 and 100 prefixes an\n"
	"                  UPDATE; floor: a memcpy() of the same bytes\n"
	"  batch_update    ns for each update from the rib's sink to a batch "
	"in\n"
	"                  the bridge, plain and compressed; allocations of "
	"all\n"
	"                  of it are counted in batch_allocations\n"
	"  batch_ratio     what is sent for each plain byte\n"
	"  bridge          batches from one and two workers to a publisher\n"
	"  journal         MB/s of batches; floor: plain writes of the same "
	"bytes\n"
	"  jetstream_acked updates a second that a real server acknowledged;\n"
	"                  floor: libnats alone, same sizes and headers\n";

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv, help);

	egress_bench_encode(&b);
	egress_bench_batch(&b);
	egress_bench_bridge(&b);
	egress_bench_journal(&b);
	egress_bench_jetstream(&b);
	return 0;
}
