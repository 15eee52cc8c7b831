//! The runtime's benches in their shapes, on tokio: spawn_join, ping_pong and
//! two of net_api. The same JSON lines, with variants that begin with "tokio".
//!
//!     cargo run --release -- [--quick] [--rounds N]
//!
//! As in the benches of spargio two workers run the tasks, a driver outside of
//! them waits for each sample, and an echo server of plain threads is the other
//! end of every connection. Channels of tokio take the place of mailboxes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

const ROUND_TRIPS: u32 = 256;
const ONE_WAY: u32 = 2048;
const COLD_ROUND_TRIPS: u32 = 64;
const SMALL: usize = 256;
const SMALL_TRIPS: usize = 512;
const FRAME: usize = 4096;
const FRAMES: usize = 2048;
const WINDOW: usize = 32;
const SAMPLE: Duration = Duration::from_millis(2);

/// One thing to time: does its work so many times.
struct Loop<'a> {
    name: &'static str,
    variant: &'static str,
    unit: &'static str,
    run: Box<dyn FnMut(u64) + 'a>,
}

fn time(l: &mut Loop, iterations: u64) -> Duration {
    let start = Instant::now();
    (l.run)(iterations);
    start.elapsed()
}

fn calibrate(l: &mut Loop) -> u64 {
    let mut n = 1;
    loop {
        let took = time(l, n);
        if took >= SAMPLE {
            return n;
        }
        if took >= SAMPLE / 2 {
            return n * SAMPLE.as_nanos() as u64 / took.as_nanos() as u64;
        }
        n *= 2;
    }
}

/// User and system time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("proc");
    let rest = &stat[stat.rfind(')').expect("stat") + 2..];
    let field = |n: usize| -> f64 {
        let word = rest.split(' ').nth(n).expect("stat");
        word.parse().expect("stat")
    };
    (field(11) + field(12)) / 100.0
}

fn report(l: &Loop, samples: &mut [f64], cpu: f64) {
    samples.sort_by(f64::total_cmp);
    println!(
        "{{\"bench\": \"{}\", \"variant\": \"{}\", \"unit\": \"{}\", \
         \"value\": {:.6}, \"min\": {:.6}, \"max\": {:.6}, \"n\": {}, \
         \"cpu_seconds\": {:.3}}}",
        l.name,
        l.variant,
        l.unit,
        samples[samples.len() / 2],
        samples[0],
        samples[samples.len() - 1],
        samples.len(),
        cpu
    );
}

fn run_all(mut loops: Vec<Loop>, rounds: usize) {
    let counts: Vec<u64> = loops.iter_mut().map(calibrate).collect();
    let mut samples = vec![Vec::new(); loops.len()];
    let mut cpu = vec![0.0; loops.len()];
    for _ in 0..rounds {
        for (i, l) in loops.iter_mut().enumerate() {
            let before = cpu_seconds();
            let each = time(l, counts[i]).as_nanos() as f64 / counts[i] as f64;
            samples[i].push(if l.unit == "us" { each / 1e3 } else { each });
            cpu[i] += cpu_seconds() - before;
        }
    }
    for (i, l) in loops.iter().enumerate() {
        report(l, &mut samples[i], cpu[i]);
    }
}

async fn spawn_join(iterations: u64) {
    for _ in 0..iterations {
        tokio::spawn(async {}).await.expect("a task");
    }
}

/// What goes to the other task; it answers all but Add.
enum Order {
    Echo(u32),
    Add(u32),
    Sum,
}

struct Pair {
    to: UnboundedSender<Order>,
    from: UnboundedReceiver<u32>,
}

async fn respond(mut orders: UnboundedReceiver<Order>, answers: UnboundedSender<u32>) {
    let mut sum = 0u32;
    while let Some(order) = orders.recv().await {
        let answer = match order {
            Order::Echo(value) => value,
            Order::Sum => sum,
            Order::Add(value) => {
                sum = sum.wrapping_add(value);
                continue;
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

impl Pair {
    fn new(rt: &Runtime) -> Pair {
        let (to, orders) = unbounded_channel();
        let (answers, from) = unbounded_channel();
        rt.spawn(respond(orders, answers));
        Pair { to, from }
    }

    async fn ask(&mut self, order: Order) -> u32 {
        self.to.send(order).ok().expect("the other task");
        self.from.recv().await.expect("an answer")
    }

    async fn trips(mut self, iterations: u64, trips: u32) -> Pair {
        for _ in 0..iterations {
            for i in 0..trips {
                assert_eq!(self.ask(Order::Echo(i)).await, i);
            }
        }
        self
    }

    async fn one_way(mut self, iterations: u64) -> Pair {
        for _ in 0..iterations {
            for i in 0..ONE_WAY {
                self.to.send(Order::Add(i)).ok().expect("the other task");
            }
            self.ask(Order::Sum).await;
        }
        self
    }
}

/// Run it as a task of the runtime, and have back what it was given.
fn on<T: Send + 'static>(
    rt: &Runtime,
    task: impl std::future::Future<Output = T> + Send + 'static,
) -> T {
    let task = rt.spawn(task);
    rt.block_on(task).expect("a task")
}

fn cold_start(iterations: u64) {
    for _ in 0..iterations {
        let rt = runtime();
        let pair = Pair::new(&rt);
        rt.block_on(pair.trips(1, COLD_ROUND_TRIPS));
    }
}

fn echo_server() -> SocketAddr {
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

async fn dial(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(to).await.expect("the echo server");
    stream.set_nodelay(true).expect("TCP_NODELAY");
    stream
}

async fn echo(mut s: TcpStream, iterations: u64) -> TcpStream {
    let mut buf = [0; SMALL];
    for _ in 0..iterations {
        for i in 0..SMALL_TRIPS {
            buf[0] = i as u8;
            s.write_all(&buf).await.expect("a write");
            s.read_exact(&mut buf).await.expect("a read");
            assert_eq!(buf[0], i as u8);
        }
    }
    s
}

/// @at_once frames in each call: one, or a whole window.
async fn stream(mut s: TcpStream, iterations: u64, at_once: usize) -> TcpStream {
    let mut buf = vec![1; FRAME * at_once];
    for _ in 0..iterations {
        for _ in 0..FRAMES / WINDOW {
            for _ in 0..WINDOW / at_once {
                s.write_all(&buf).await.expect("a write");
            }
            for _ in 0..WINDOW / at_once {
                s.read_exact(&mut buf).await.expect("a read");
            }
        }
    }
    s
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Lends what a sample needs to its task, and takes it back.
fn lend<'a, T: Send + 'static, F>(
    rt: &'a Runtime,
    thing: T,
    run: impl Fn(T, u64) -> F + 'a,
) -> Box<dyn FnMut(u64) + 'a>
where
    F: std::future::Future<Output = T> + Send + 'static,
{
    let mut thing = Some(thing);
    Box::new(move |n| {
        let lent = thing.take().expect("it was given back");
        thing = Some(on(rt, run(lent, n)));
    })
}

/// The same, driven by the thread that waits: two threads for sure. As a task
/// both ends of a channel may share a worker, and then nothing crosses a core.
fn drive<'a, T: 'a, F>(
    rt: &'a Runtime,
    thing: T,
    run: impl Fn(T, u64) -> F + 'a,
) -> Box<dyn FnMut(u64) + 'a>
where
    F: std::future::Future<Output = T>,
{
    let mut thing = Some(thing);
    Box::new(move |n| {
        let lent = thing.take().expect("it was given back");
        thing = Some(rt.block_on(run(lent, n)));
    })
}

fn rounds() -> usize {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().position(|a| a == "--rounds") {
        Some(i) => args[i + 1].parse().expect("a number of rounds"),
        None if args.iter().any(|a| a == "--quick") => 3,
        None => 15,
    }
}

fn main() {
    let rt = runtime();
    let one = Builder::new_current_thread().build().expect("a runtime");
    let server = echo_server();
    let client = || rt.block_on(dial(server));
    let row = |name, variant, unit, run| Loop {
        name,
        variant,
        unit,
        run,
    };
    let loops = vec![
        row(
            "spawn_join",
            "tokio,one_thread",
            "ns",
            Box::new(|n| one.block_on(spawn_join(n))) as Box<dyn FnMut(u64)>,
        ),
        row(
            "spawn_join",
            "tokio,two_workers",
            "ns",
            lend(&rt, (), |_, n| spawn_join(n)),
        ),
        row(
            "steady_ping_pong_rtt",
            "tokio,two_threads",
            "us",
            drive(&rt, Pair::new(&rt), |p, n| p.trips(n, ROUND_TRIPS)),
        ),
        row(
            "steady_ping_pong_rtt",
            "tokio,two_tasks",
            "us",
            lend(&rt, Pair::new(&rt), |p, n| p.trips(n, ROUND_TRIPS)),
        ),
        row(
            "steady_one_way_send_drain",
            "tokio,two_threads",
            "us",
            drive(&rt, Pair::new(&rt), |p, n| p.one_way(n)),
        ),
        row(
            "steady_one_way_send_drain",
            "tokio,two_tasks",
            "us",
            lend(&rt, Pair::new(&rt), |p, n| p.one_way(n)),
        ),
        row(
            "cold_start_ping_pong",
            "tokio,two_threads",
            "us",
            Box::new(cold_start),
        ),
        row(
            "net_echo_rtt_256b",
            "tokio,per_frame",
            "us",
            lend(&rt, client(), echo),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "tokio,per_frame",
            "us",
            lend(&rt, client(), |s, n| stream(s, n, 1)),
        ),
        row(
            "net_stream_throughput_4k_window32",
            "tokio,batched",
            "us",
            lend(&rt, client(), |s, n| stream(s, n, WINDOW)),
        ),
    ];
    run_all(loops, rounds());
}
