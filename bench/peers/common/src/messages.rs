//! Messages to another thread that answers.

pub const ROUND_TRIPS: u32 = 256;
const ONE_WAY: u32 = 2048;
pub const COLD_ROUND_TRIPS: u32 = 64;

/// What goes to the other side, which answers all but Add.
pub enum Order {
    Echo(u32),
    Add(u32),
    Sum,
}

/// The other side.
#[derive(Default)]
pub struct Responder {
    sum: u32,
}

impl Responder {
    pub fn take(&mut self, order: Order) -> Option<u32> {
        match order {
            Order::Echo(value) => Some(value),
            Order::Add(value) => {
                self.sum += value;
                None
            }
            Order::Sum => Some(std::mem::take(&mut self.sum)),
        }
    }
}

/// The end that asks.
pub trait Link {
    fn tell(&mut self, order: Order);

    async fn answer(&mut self) -> u32;

    fn tell_numbers(&mut self, below: u32) {
        for i in 0..below {
            self.tell(Order::Add(i));
        }
    }
}

pub async fn trips<L: Link>(mut link: L, iterations: u64, trips: u32) -> L {
    for _ in 0..iterations {
        for i in 0..trips {
            link.tell(Order::Echo(i));
            assert_eq!(link.answer().await, i);
        }
    }
    link
}

pub async fn one_way<L: Link>(mut link: L, iterations: u64) -> L {
    for _ in 0..iterations {
        link.tell_numbers(ONE_WAY);
        link.tell(Order::Sum);
        assert_eq!(link.answer().await, ONE_WAY * (ONE_WAY - 1) / 2);
    }
    link
}
