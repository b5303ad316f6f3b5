//! What drives network work and lets time pass. In a build without the feature `network` nothing ever waits for anything
//! but the clock, so that there is no need of an async runtime.

#[cfg(feature = "network")]
pub(crate) use with_network::{blocking, run, sleep, within};
#[cfg(not(feature = "network"))]
pub(crate) use without_network::{blocking, run, sleep, within};

#[cfg(feature = "network")]
mod with_network {
    use std::time::Duration;

    use crate::error::Error;

    /// Drives a piece of work to its end.
    pub(crate) fn run<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Disk { path: "the network".into(), error })?;
        let result = runtime.block_on(work);
        // A name that is still being looked up must not hold up the program.
        runtime.shutdown_background();
        result
    }

    pub(crate) async fn sleep(duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    /// The result of a piece of work, if it is there in time.
    pub(crate) async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout(limit, work).await.ok()
    }

    /// Does what blocks without holding up other work.
    pub(crate) async fn blocking<T: Send + 'static>(
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| Error::Credentials(error.to_string()))?
    }
}

#[cfg(not(feature = "network"))]
mod without_network {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use crate::error::Error;

    pub(crate) fn run<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let mut work = pin!(work);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(result) = work.as_mut().poll(&mut context) {
                return result;
            }
        }
    }

    pub(crate) async fn sleep(duration: Duration) {
        std::thread::sleep(duration);
    }

    pub(crate) async fn within<T>(_: Duration, work: impl Future<Output = T>) -> Option<T> {
        Some(work.await)
    }

    pub(crate) async fn blocking<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        work()
    }
}
