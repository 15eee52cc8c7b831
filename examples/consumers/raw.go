// Writes what the stream holds to standard output, as Cap'n Proto: with the Go
// client of NATS, for the tool of Cap'n Proto or a library of it to read.
//
//	raw URL [STREAM] [FILTER] | capnp decode schema/update.capnp Update
//
// It reads plain batches (the default); for others use "arancini tail --raw".
package main

import (
	"bufio"
	"errors"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

const silence = 30 * time.Second

// An ordered consumer begins anew by itself where it has missed something, and
// needs no acknowledgements. Each message says how many are behind it.
func copyAll(js nats.JetStreamContext, stream, filter string,
	out *bufio.Writer) error {
	sub, err := js.SubscribeSync(filter, nats.OrderedConsumer(),
		nats.BindStream(stream))
	if err != nil {
		return err
	}
	info, err := sub.ConsumerInfo()
	if err != nil || info.NumPending+info.Delivered.Consumer == 0 {
		return err
	}
	for {
		msg, err := sub.NextMsg(silence)
		if err != nil {
			return err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if msg.Header.Get("Content-Encoding") != "" {
			return errors.New("only plain batches are read here")
		}
		if _, err = out.Write(msg.Data); err != nil {
			return err
		}
		if meta.NumPending == 0 {
			return out.Flush()
		}
	}
}

func run(url, stream, filter string) error {
	nc, err := nats.Connect(url)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		return err
	}
	return copyAll(js, stream, filter, bufio.NewWriter(os.Stdout))
}

func argument(n int, otherwise string) string {
	if len(os.Args) > n {
		return os.Args[n]
	}
	return otherwise
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 4 {
		log.Fatal("usage: raw URL [STREAM] [FILTER]")
	}
	err := run(os.Args[1], argument(2, "ARANCINI"),
		argument(3, "arancini.updates.>"))
	if err != nil {
		log.Fatal(err)
	}
}
