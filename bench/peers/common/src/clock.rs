//! Rounds, in each of which every row has a turn.

use std::time::{Duration, Instant};

const SAMPLE: Duration = Duration::from_millis(2);

/// Does its work so many times, and says how long that took.
pub type Run<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

pub struct Row<'a> {
    bench: &'static str,
    variant: String,
    run: Run<'a>,
}

pub fn row<'a>(bench: &'static str, variant: impl Into<String>, run: Run<'a>) -> Row<'a> {
    Row {
        bench,
        variant: variant.into(),
        run,
    }
}

pub fn timed<'a>(mut run: impl FnMut(u64) + 'a) -> Run<'a> {
    Box::new(move |n| {
        let start = Instant::now();
        run(n);
        start.elapsed()
    })
}

/// Lends a thing to each sample, which gives it back.
pub fn lend<'a, T: 'a>(thing: T, run: impl Fn(T, u64) -> T + 'a) -> Run<'a> {
    let mut thing = Some(thing);
    timed(move |n| {
        let lent = thing.take().expect("it was given back");
        thing = Some(run(lent, n));
    })
}

impl Row<'_> {
    fn unit(&self) -> &'static str {
        match self.bench {
            "spawn_join" => "ns",
            _ => "us",
        }
    }

    fn calibrate(&mut self) -> u64 {
        let mut n = 1;
        loop {
            let took = (self.run)(n);
            if took >= SAMPLE {
                return n;
            }
            if took >= SAMPLE / 2 {
                return n * SAMPLE.as_nanos() as u64 / took.as_nanos() as u64;
            }
            n *= 2;
        }
    }

    fn sample(&mut self, n: u64) -> f64 {
        let each = (self.run)(n).as_nanos() as f64 / n as f64;
        match self.unit() {
            "us" => each / 1e3,
            _ => each,
        }
    }

    fn report(&self, samples: &mut [f64], cpu: f64) {
        samples.sort_by(f64::total_cmp);
        println!(
            "{{\"bench\": \"{}\", \"variant\": \"{}\", \"unit\": \"{}\", \
             \"value\": {:.6}, \"min\": {:.6}, \"max\": {:.6}, \"n\": {}, \
             \"cpu_seconds\": {:.3}}}",
            self.bench,
            self.variant,
            self.unit(),
            samples[samples.len() / 2],
            samples[0],
            samples[samples.len() - 1],
            samples.len(),
            cpu
        );
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

fn rounds() -> usize {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().position(|a| a == "--rounds") {
        Some(i) => args[i + 1].parse().expect("a number of rounds"),
        None if args.iter().any(|a| a == "--quick") => 3,
        None => 15,
    }
}

pub fn run_all(mut rows: Vec<Row>) {
    let counts: Vec<u64> = rows.iter_mut().map(Row::calibrate).collect();
    let mut samples = vec![Vec::new(); rows.len()];
    let mut cpu = vec![0.0; rows.len()];
    for _ in 0..rounds() {
        for (i, row) in rows.iter_mut().enumerate() {
            let before = cpu_seconds();
            samples[i].push(row.sample(counts[i]));
            cpu[i] += cpu_seconds() - before;
        }
    }
    for (i, row) in rows.iter().enumerate() {
        row.report(&mut samples[i], cpu[i]);
    }
}
