//! tokio in the shapes of peer-common.
//!
//! As in the benches of spargio two workers run the tasks, a driver outside of
//! them waits for each sample. Channels of tokio take the place of mailboxes.
//!
//!     two_threads    the end that asks is driven by the thread that waits
//!     two_tasks      both ends are tasks; they may share a worker, and then
//!                    nothing crosses a core

use peer_common::*;
use std::future::Future;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Run it as a task of the runtime, and have back what it was given.
fn on<T: Send + 'static>(rt: &Runtime, task: impl Future<Output = T> + Send + 'static) -> T {
    let task = rt.spawn(task);
    rt.block_on(task).expect("a task")
}

async fn spawn_join(iterations: u64) {
    for _ in 0..iterations {
        tokio::spawn(async {}).await.expect("a task");
    }
}

struct Pair {
    to: UnboundedSender<Order>,
    from: UnboundedReceiver<u32>,
}

impl Pair {
    fn new(rt: &Runtime) -> Pair {
        let (to, mut orders) = unbounded_channel();
        let (answers, from) = unbounded_channel();
        rt.spawn(async move {
            let mut responder = Responder::default();
            while let Some(order) = orders.recv().await {
                if let Some(answer) = responder.take(order) {
                    answers.send(answer).expect("who asked");
                }
            }
        });
        Pair { to, from }
    }
}

impl Link for Pair {
    fn tell(&mut self, order: Order) {
        self.to.send(order).ok().expect("the other task");
    }

    async fn answer(&mut self) -> u32 {
        self.from.recv().await.expect("an answer")
    }
}

fn cold_start() {
    let rt = runtime();
    let pair = Pair::new(&rt);
    rt.block_on(trips(pair, 1, COLD_ROUND_TRIPS));
}

struct Tcp(TcpStream);

impl Conn for Tcp {
    async fn send(&mut self, buf: Vec<u8>) -> Vec<u8> {
        self.0.write_all(&buf).await.expect("a write");
        buf
    }

    async fn fill(&mut self, mut buf: Vec<u8>) -> Vec<u8> {
        self.0.read_exact(&mut buf).await.expect("a read");
        buf
    }
}

async fn dial(to: SocketAddr) -> Tcp {
    let stream = TcpStream::connect(to).await.expect("the echo server");
    stream.set_nodelay(true).expect("TCP_NODELAY");
    Tcp(stream)
}

fn main() {
    let server = echo_server();
    let rt = &runtime();
    let one = Builder::new_current_thread().build().expect("a runtime");
    let pair = || Pair::new(rt);
    let client = || rt.block_on(dial(server));

    run_all(vec![
        row(
            "spawn_join",
            "tokio,one_thread",
            timed(|n| one.block_on(spawn_join(n))),
        ),
        row(
            "spawn_join",
            "tokio,two_workers",
            timed(|n| on(rt, spawn_join(n))),
        ),
        row(
            "steady_ping_pong_rtt",
            "tokio,two_threads",
            lend(pair(), |p, n| rt.block_on(trips(p, n, ROUND_TRIPS))),
        ),
        row(
            "steady_ping_pong_rtt",
            "tokio,two_tasks",
            lend(pair(), |p, n| on(rt, trips(p, n, ROUND_TRIPS))),
        ),
        row(
            "steady_one_way_send_drain",
            "tokio,two_threads",
            lend(pair(), |p, n| rt.block_on(one_way(p, n))),
        ),
        row(
            "steady_one_way_send_drain",
            "tokio,two_tasks",
            lend(pair(), |p, n| on(rt, one_way(p, n))),
        ),
        row(
            "cold_start_ping_pong",
            "tokio,two_threads",
            timed(|n| (0..n).for_each(|_| cold_start())),
        ),
        row(
            "net_echo_rtt_256b",
            "tokio,per_frame",
            lend(client(), |c, n| on(rt, echo(c, n))),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "tokio,per_frame",
            lend(client(), |c, n| on(rt, stream(c, n, 1))),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "tokio,batched",
            lend(client(), |c, n| on(rt, stream(c, n, WINDOW))),
        ),
    ]);
}
