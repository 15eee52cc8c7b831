//! The Rust crate spargio in the shapes of peer-common.
//!
//! An idle shard yields for ever, so a runtime lives only while it is timed.
//! Shards are on CPU 0 and 1 and send each other messages of the crate's own;
//! options of the ring are those of the crate's own benches. "one_shard" leaves
//! a CPU to the server.

use peer_common::*;
use spargio::net::TcpStream;
use spargio::{Event, RemoteShard, Runtime, RuntimeBuilder, RuntimeHandle, ShardCtx};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Instant;

const ECHO: u16 = 1;
const ADD: u16 = 2;
const SUM: u16 = 3;

fn builder(shards: usize) -> RuntimeBuilder {
    Runtime::builder().shards(shards).thread_affinity([0, 1])
}

fn net_runtime(shards: usize) -> Runtime {
    let builder = builder(shards).io_uring_throughput_mode(None);
    builder.build().expect("a runtime")
}

fn here() -> ShardCtx {
    ShardCtx::current().expect("a shard")
}

/// Run it on shard 0 and wait for it.
fn on<T: Send + 'static>(rt: &Runtime, task: impl Future<Output = T> + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    rt.spawn_on(0, async move {
        done.send(task.await).expect("who waits");
    })
    .expect("a task");
    wait.recv().expect("a task")
}

/// Times @run on a runtime of its own, where both sides are warm.
fn sample<'a, T, F>(
    start: impl Fn() -> (Runtime, T) + 'a,
    warm_up: u64,
    run: impl Fn(T, u64) -> F + Copy + Send + 'static,
) -> Run<'a>
where
    T: Send + 'static,
    F: Future<Output = T> + Send,
{
    Box::new(move |n| {
        let (rt, thing) = start();
        on(&rt, async move {
            let thing = run(thing, warm_up).await;
            let began = Instant::now();
            run(thing, n).await;
            began.elapsed()
        })
    })
}

async fn spawn_join(iterations: u64) {
    for _ in 0..iterations {
        let task = here().spawn_local(async {});
        task.await.expect("a task");
    }
}

struct Shard(RemoteShard);

async fn event() -> (u16, u32) {
    let next = here().next_event();
    let Event::RingMsg { tag, val, .. } = next.await;
    (tag, val)
}

async fn respond(to: RemoteShard) {
    let mut responder = Responder::default();
    loop {
        let order = match event().await {
            (ECHO, value) => Order::Echo(value),
            (ADD, value) => Order::Add(value),
            _ => Order::Sum,
        };
        if let Some(answer) = responder.take(order) {
            to.send_raw_nowait(0, answer).expect("who asked");
        }
    }
}

impl Link for Shard {
    fn tell(&mut self, order: Order) {
        let (tag, value) = match order {
            Order::Echo(value) => (ECHO, value),
            Order::Add(value) => (ADD, value),
            Order::Sum => (SUM, 0),
        };
        self.0.send_raw_nowait(tag, value).expect("the other shard");
    }

    async fn answer(&mut self) -> u32 {
        event().await.1
    }

    fn tell_numbers(&mut self, below: u32) {
        let numbers = (0..below).map(|i| (ADD, i));
        self.0
            .send_many_raw_nowait(numbers)
            .expect("the other shard");
    }
}

fn pair(builder: RuntimeBuilder) -> (Runtime, Shard) {
    let rt = builder.build().expect("a runtime");
    let back = rt.remote(0).expect("a shard");
    let there = rt.remote(1).expect("a shard");
    rt.spawn_on(1, respond(back)).expect("a task");
    (rt, Shard(there))
}

fn cold_start() {
    let (rt, shard) = pair(builder(2));
    on(&rt, trips(shard, 1, COLD_ROUND_TRIPS));
}

struct Tcp(TcpStream);

impl Conn for Tcp {
    async fn send(&mut self, buf: Vec<u8>) -> Vec<u8> {
        self.0.write_all_owned(buf).await.expect("a write")
    }

    async fn fill(&mut self, buf: Vec<u8>) -> Vec<u8> {
        self.0.read_exact_owned(buf).await.expect("a read")
    }
}

/// A window by the calls that the crate has for that.
async fn own_batches(conn: Tcp, iterations: u64) -> Tcp {
    let mut frames = vec![vec![1; FRAME]; WINDOW];
    for _ in 0..iterations * (FRAMES / WINDOW) as u64 {
        let sent = conn.0.send_all_batch(frames, WINDOW).await;
        frames = sent.expect("a write").1;
        let mut left = FRAME * WINDOW;
        while left > 0 {
            let got = conn
                .0
                .recv_multishot_segments(FRAME, 2 * WINDOW as u16, left);
            let segments = got.await.expect("a read").segments;
            left -= segments.iter().map(|s| s.len).sum::<usize>();
        }
    }
    conn
}

/// TCP_NODELAY is the crate's default.
async fn dial(handle: RuntimeHandle, to: SocketAddr) -> Tcp {
    let stream = TcpStream::connect_socket_addr(handle, to).await;
    Tcp(stream.expect("the echo server"))
}

fn client(server: SocketAddr, shards: usize) -> (Runtime, Tcp) {
    let rt = net_runtime(shards);
    let conn = on(&rt, dial(rt.handle(), server));
    (rt, conn)
}

fn main() {
    let server = echo_server();
    let one = || (builder(1).build().expect("a runtime"), ());
    let net_one = || client(server, 1);
    let net_two = || client(server, 2);

    run_all(vec![
        row(
            "spawn_join",
            "spargio_rs,one_shard",
            sample(one, 1000, |_, n| spawn_join(n)),
        ),
        row(
            "steady_ping_pong_rtt",
            "spargio_rs,two_shards",
            sample(|| pair(builder(2)), 16, |s, n| trips(s, n, ROUND_TRIPS)),
        ),
        row(
            "steady_one_way_send_drain",
            "spargio_rs,two_shards",
            sample(|| pair(builder(2).ring_entries(4096)), 16, one_way),
        ),
        row(
            "cold_start_ping_pong",
            "spargio_rs,two_shards",
            timed(|n| (0..n).for_each(|_| cold_start())),
        ),
        row(
            "net_echo_rtt_256b",
            "spargio_rs,two_shards,per_frame",
            sample(net_two, 1, echo),
        ),
        row(
            "net_echo_rtt_256b",
            "spargio_rs,one_shard,per_frame",
            sample(net_one, 1, echo),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "spargio_rs,two_shards,per_frame",
            sample(net_two, 1, |c, n| stream(c, n, 1)),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "spargio_rs,one_shard,per_frame",
            sample(net_one, 1, |c, n| stream(c, n, 1)),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "spargio_rs,two_shards,batched",
            sample(net_two, 1, |c, n| stream(c, n, WINDOW)),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "spargio_rs,one_shard,batched",
            sample(net_one, 1, |c, n| stream(c, n, WINDOW)),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "spargio_rs,two_shards,own_batches",
            sample(net_two, 1, own_batches),
        ),
    ]);
}
