//! Faults on purpose, for tests of crashes and failing stores: the n-th call counted from the
//! setting fails, waits, or ends the process.
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::Once;
use std::time::Duration;

use delta_kernel::object_store::{Error, Result};

const FAIL: i32 = 1;
const FAIL_AFTER: i32 = 2;
const KILL: i32 = 3;
const KILL_AFTER: i32 = 4;
const DELAY: i32 = 5;

static KIND: AtomicI32 = AtomicI32::new(0);
static LEFT: AtomicI64 = AtomicI64::new(0);
static FROM_ENVIRONMENT: Once = Once::new();

/// `ARIADNE_FAULT=kind:nth` sets a fault for a whole process.
pub fn read_environment() {
    FROM_ENVIRONMENT.call_once(|| {
        let Ok(text) = std::env::var("ARIADNE_FAULT") else { return };
        if let Some((kind, nth)) = text.split_once(':') {
            if let (Ok(kind), Ok(nth)) = (kind.parse(), nth.parse()) {
                set(kind, nth);
            }
        }
    });
}

pub fn set(kind: i32, nth: i64) {
    KIND.store(0, Ordering::SeqCst);
    LEFT.store(nth, Ordering::SeqCst);
    KIND.store(kind, Ordering::SeqCst);
}

/// What the present call is to suffer; taken once, before it begins.
pub struct Fault(i32);

/// Every call that changes the store passes here.
pub fn next() -> Fault {
    let kind = KIND.load(Ordering::SeqCst);
    if kind == 0 || LEFT.fetch_sub(1, Ordering::SeqCst) != 1 {
        return Fault(0);
    }
    KIND.store(0, Ordering::SeqCst);
    Fault(kind)
}

fn failure() -> Error {
    Error::Generic { store: "fault", source: "a fault that a test asked for".into() }
}

fn kill() -> ! {
    // No destructor runs, as in a power cut.
    unsafe {
        libc::kill(libc::getpid(), libc::SIGKILL);
    }
    loop {
        std::thread::park();
    }
}

impl Fault {
    pub fn before(&self) -> Result<()> {
        match self.0 {
            FAIL => Err(failure()),
            KILL => kill(),
            DELAY => {
                std::thread::sleep(Duration::from_millis(200));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The change was made; a caller may still be told otherwise.
    pub fn after<T>(&self, result: Result<T>) -> Result<T> {
        match self.0 {
            FAIL_AFTER => result.and(Err(failure())),
            KILL_AFTER => kill(),
            _ => result,
        }
    }
}
