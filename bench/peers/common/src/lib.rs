//! What the peers have in common: the shapes of spargio's benches spawn_join,
//! ping_pong and net_api, the clock, and the JSON lines. A peer says how its
//! library sends, receives and runs.
//!
//!     cargo run --release --manifest-path bench/peers/PEER/Cargo.toml -- \
//!         [--quick] [--rounds N]

// Whether a future may move between threads shows where its type is known.
#![allow(async_fn_in_trait)]

mod clock;
mod messages;
mod net;
#[cfg(feature = "thread-per-core")]
mod thread_per_core;

pub use clock::{lend, row, run_all, timed, Row, Run};
pub use messages::{one_way, trips, Link, Order, Responder};
pub use messages::{COLD_ROUND_TRIPS, ROUND_TRIPS};
pub use net::{echo, echo_server, stream, Conn, FRAME, FRAMES, WINDOW};
#[cfg(feature = "thread-per-core")]
pub use thread_per_core::{run_thread_per_core, ThreadRuntime};
