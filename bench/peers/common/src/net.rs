//! Traffic with an echo server of plain threads.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

pub const FRAME: usize = 4096;
pub const FRAMES: usize = 2048;
pub const WINDOW: usize = 32;
const SMALL: usize = 256;
const SMALL_TRIPS: usize = 512;

/// A connection, by calls that take a buffer and give it back: some libraries
/// have no others.
pub trait Conn {
    /// Sends all of @buf.
    async fn send(&mut self, buf: Vec<u8>) -> Vec<u8>;

    /// Fills all of @buf.
    async fn fill(&mut self, buf: Vec<u8>) -> Vec<u8>;
}

pub async fn echo<C: Conn>(mut conn: C, iterations: u64) -> C {
    let mut buf = vec![0; SMALL];
    for _ in 0..iterations {
        for i in 0..SMALL_TRIPS {
            buf[0] = i as u8;
            buf = conn.send(buf).await;
            buf[0] = !(i as u8);
            buf = conn.fill(buf).await;
            assert_eq!(buf[0], i as u8);
        }
    }
    conn
}

/// @at_once frames in each call: one, or a whole window.
pub async fn stream<C: Conn>(mut conn: C, iterations: u64, at_once: usize) -> C {
    let mut buf = vec![1; FRAME * at_once];
    for _ in 0..iterations {
        for _ in 0..FRAMES / WINDOW {
            for _ in 0..WINDOW / at_once {
                buf = conn.send(buf).await;
            }
            for _ in 0..WINDOW / at_once {
                buf = conn.fill(buf).await;
            }
        }
    }
    conn
}

/// Start it before anything is bound to a CPU: its threads inherit that.
pub fn echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("a port");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            stream.set_nodelay(true).expect("TCP_NODELAY");
            thread::spawn(move || {
                let mut buf = [0; 65536];
                while let Ok(n) = stream.read(&mut buf) {
                    if n == 0 || stream.write_all(&buf[..n]).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}
