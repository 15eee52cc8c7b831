//! compio in the shapes of peer-common.

use compio::io::{AsyncReadExt, AsyncWriteExt};
use compio::net::TcpStream;
use compio::runtime::Runtime;
use compio::BufResult;
use peer_common::*;
use std::future::Future;
use std::net::SocketAddr;

struct Tcp(TcpStream);

impl Conn for Tcp {
    async fn send(&mut self, buf: Vec<u8>) -> Vec<u8> {
        let BufResult(done, buf) = self.0.write_all(buf).await;
        done.expect("a write");
        buf
    }

    async fn fill(&mut self, buf: Vec<u8>) -> Vec<u8> {
        let BufResult(done, buf) = self.0.read_exact(buf).await;
        done.expect("a read");
        buf
    }
}

struct Compio(Runtime);

impl ThreadRuntime for Compio {
    type Conn = Tcp;

    fn on_cpu(cpu: usize) -> Compio {
        let mut builder = Runtime::builder();
        builder.thread_affinity([cpu].into());
        Compio(builder.build().expect("a runtime"))
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    async fn spawn_join(iterations: u64) {
        for _ in 0..iterations {
            compio::runtime::spawn(async {}).await.expect("a task");
        }
    }

    async fn dial(to: SocketAddr) -> Tcp {
        let stream = TcpStream::connect(to).await.expect("the echo server");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        Tcp(stream)
    }
}

fn main() {
    run_thread_per_core::<Compio>("compio");
}
