//! Libraries whose runtime is one thread.
//!
//! The thread that waits for each sample is one, on CPU 0. Messages go by flume,
//! which compio and monoio use inside, to a thread with a runtime of its own, on
//! CPU 1.

use crate::*;
use std::future::Future;
use std::net::SocketAddr;
use std::thread::{self, JoinHandle};

pub trait ThreadRuntime: Sized + 'static {
    type Conn: Conn;

    /// Binds the thread that calls it, too.
    fn on_cpu(cpu: usize) -> Self;

    fn block_on<F: Future>(&self, future: F) -> F::Output;

    async fn spawn_join(iterations: u64);

    async fn dial(to: SocketAddr) -> Self::Conn;
}

struct FlumeLink {
    to: flume::Sender<Order>,
    from: flume::Receiver<u32>,
}

impl Link for FlumeLink {
    fn tell(&mut self, order: Order) {
        self.to.send(order).ok().expect("the other thread");
    }

    async fn answer(&mut self) -> u32 {
        self.from.recv_async().await.expect("an answer")
    }
}

async fn respond(orders: flume::Receiver<Order>, answers: flume::Sender<u32>) {
    let mut responder = Responder::default();
    while let Ok(order) = orders.recv_async().await {
        if let Some(answer) = responder.take(order) {
            answers.send(answer).expect("who asked");
        }
    }
}

/// The other thread ends when the link is dropped.
fn pair<R: ThreadRuntime>() -> (FlumeLink, JoinHandle<()>) {
    let (to, orders) = flume::unbounded();
    let (answers, from) = flume::unbounded();
    let other = thread::spawn(|| R::on_cpu(1).block_on(respond(orders, answers)));
    (FlumeLink { to, from }, other)
}

fn cold_start<R: ThreadRuntime>() {
    let (link, other) = pair::<R>();
    R::on_cpu(0).block_on(trips(link, 1, COLD_ROUND_TRIPS));
    other.join().expect("the other thread");
}

/// Runs all rows; a variant's name begins with @library.
pub fn run_thread_per_core<R: ThreadRuntime>(library: &str) {
    let server = echo_server();
    let rt = &R::on_cpu(0);
    let link = || pair::<R>().0;
    let client = || rt.block_on(R::dial(server));
    let row = |bench, variant, run| row(bench, format!("{library},{variant}"), run);

    run_all(vec![
        row(
            "spawn_join",
            "one_thread",
            timed(|n| rt.block_on(R::spawn_join(n))),
        ),
        row(
            "steady_ping_pong_rtt",
            "two_threads",
            lend(link(), |l, n| rt.block_on(trips(l, n, ROUND_TRIPS))),
        ),
        row(
            "steady_one_way_send_drain",
            "two_threads",
            lend(link(), |l, n| rt.block_on(one_way(l, n))),
        ),
        row(
            "cold_start_ping_pong",
            "two_threads",
            timed(|n| (0..n).for_each(|_| cold_start::<R>())),
        ),
        row(
            "net_echo_rtt_256b",
            "per_frame",
            lend(client(), |c, n| rt.block_on(echo(c, n))),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "per_frame",
            lend(client(), |c, n| rt.block_on(stream(c, n, 1))),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "batched",
            lend(client(), |c, n| rt.block_on(stream(c, n, WINDOW))),
        ),
    ]);
}
