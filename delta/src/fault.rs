//! Faults on purpose, for tests of crashes and failing stores: the n-th change counted from the
//! setting fails, waits, or ends the process.
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::Once;
use std::time::Duration;

use delta_kernel::object_store::{Error, Result};

const NONE: i32 = 0;
const FAIL: i32 = 1;
const FAIL_AFTER: i32 = 2;
const KILL: i32 = 3;
const KILL_AFTER: i32 = 4;
const DELAY: i32 = 5;
/// Counts the changes to a local disk, of which a change to the store has several.
const POWER_LOSS: i32 = 6;
/// From the n-th change on all are refused, as to a caller who may only read.
const READ_ONLY: i32 = 7;

static KIND: AtomicI32 = AtomicI32::new(NONE);
static NTH: AtomicI64 = AtomicI64::new(0);
static CHANGES: AtomicI64 = AtomicI64::new(0);
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
    KIND.store(NONE, Ordering::SeqCst);
    CHANGES.store(0, Ordering::SeqCst);
    NTH.store(nth, Ordering::SeqCst);
    KIND.store(kind, Ordering::SeqCst);
}

/// Changes since a fault was set; they are not counted past the one that suffered it.
pub fn changes() -> i64 {
    CHANGES.load(Ordering::SeqCst)
}

/// What the present call is to suffer; taken once, before it begins.
pub struct Fault(i32);

/// Every call that changes the store passes here.
pub fn next() -> Fault {
    let kind = KIND.load(Ordering::SeqCst);
    if kind == NONE || kind == POWER_LOSS {
        return Fault(NONE);
    }
    let number = CHANGES.fetch_add(1, Ordering::SeqCst) + 1;
    let nth = NTH.load(Ordering::SeqCst);
    if kind == READ_ONLY {
        return Fault(if number >= nth { READ_ONLY } else { NONE });
    }
    if number != nth {
        return Fault(NONE);
    }
    KIND.store(NONE, Ordering::SeqCst);
    Fault(kind)
}

pub fn awaits_power_loss() -> bool {
    KIND.load(Ordering::Relaxed) == POWER_LOSS
}

/// Every change to a local disk passes here while a power loss is awaited.
pub fn power_fails_now() -> bool {
    CHANGES.fetch_add(1, Ordering::SeqCst) + 1 == NTH.load(Ordering::SeqCst)
}

fn failure() -> Error {
    Error::Generic { store: "fault", source: "a fault that a test asked for".into() }
}

/// Ends the process at once: no destructor runs.
pub fn kill() -> ! {
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
            READ_ONLY => Err(Error::PermissionDenied {
                path: "the store".into(),
                source: "a test lets nothing be written".into(),
            }),
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
