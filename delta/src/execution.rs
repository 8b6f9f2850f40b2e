//! Where futures run. Local disks answer synchronously, so their futures are polled to the end on
//! the calling thread and no runtime is ever started; network stores share one small runtime.
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use delta_kernel::KernelResult;
use delta_kernel_default_engine::executor::TaskExecutor;
use futures::future::BoxFuture;
use tokio::runtime::{Builder, Runtime};

/// The runtime of all network stores of the process.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("ariadne-io")
            .enable_all()
            .build()
            .expect("threads for network I/O")
    })
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls to the end on this thread. Unlike the `futures` crate's, it may nest.
pub fn run_here<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Runs the kernel's work on local tables on the calling thread.
pub struct CallingThread;

impl TaskExecutor for CallingThread {
    type Guard<'a> = ();

    fn block_on<T>(&self, task: T) -> T::Output
    where
        T: Future + Send + 'static,
        T::Output: Send + 'static,
    {
        run_here(task)
    }

    fn spawn<F>(&self, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        runtime().spawn(task);
    }

    fn spawn_blocking<T, R>(&self, task: T) -> BoxFuture<'_, KernelResult<R>>
    where
        T: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        Box::pin(async move { Ok(task()) })
    }

    fn enter(&self) -> Self::Guard<'_> {}
}
