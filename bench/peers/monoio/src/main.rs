//! monoio in the shapes of peer-common. Its feature "sync" is what lets another
//! thread wake a task.

use monoio::io::{AsyncReadRentExt, AsyncWriteRentExt};
use monoio::net::TcpStream;
use monoio::utils::bind_to_cpu_set;
use monoio::{IoUringDriver, Runtime, RuntimeBuilder};
use peer_common::*;
use std::cell::RefCell;
use std::future::Future;
use std::net::SocketAddr;

struct Tcp(TcpStream);

impl Conn for Tcp {
    async fn send(&mut self, buf: Vec<u8>) -> Vec<u8> {
        let (done, buf) = self.0.write_all(buf).await;
        done.expect("a write");
        buf
    }

    async fn fill(&mut self, buf: Vec<u8>) -> Vec<u8> {
        let (done, buf) = self.0.read_exact(buf).await;
        done.expect("a read");
        buf
    }
}

struct Monoio(RefCell<Runtime<IoUringDriver>>);

impl ThreadRuntime for Monoio {
    type Conn = Tcp;

    fn on_cpu(cpu: usize) -> Monoio {
        bind_to_cpu_set([cpu]).expect("a CPU");
        let runtime = RuntimeBuilder::<IoUringDriver>::new().build();
        Monoio(RefCell::new(runtime.expect("a runtime")))
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.borrow_mut().block_on(future)
    }

    async fn spawn_join(iterations: u64) {
        for _ in 0..iterations {
            monoio::spawn(async {}).await;
        }
    }

    async fn dial(to: SocketAddr) -> Tcp {
        let stream = TcpStream::connect_addr(to).await.expect("the echo server");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        Tcp(stream)
    }
}

fn main() {
    run_thread_per_core::<Monoio>("monoio");
}
