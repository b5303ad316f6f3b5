//! A connection whose other end must take what is written to it. One that stops reading would otherwise hold its place for
//! ever, with the answer in memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream with a limit on how long a write may be stuck.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// Runs while a write is stuck.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    /// Breaks the stream when nothing can be written for this long.
    pub(crate) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, stuck: None }
    }

    /// Passes a finished write on; starts or looks at the clock of one that is not.
    fn watch<T>(&mut self, context: &mut Context<'_>, write: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.stuck = None;
            return write;
        }
        let limit = self.limit;
        let clock = self.stuck.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(clock.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, write)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flush = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shutdown = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, shutdown)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stops_is_given_up() {
        let (ours, mut theirs) = duplex(10);
        let mut ours = WriteTimeout::new(ours, Duration::from_secs(5));
        let stuck = ours.write_all(&[0; 100]).await;
        assert_eq!(stuck.unwrap_err().kind(), io::ErrorKind::TimedOut);
        let mut taken = [0; 10];
        theirs.read_exact(&mut taken).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_waited_for() {
        let (ours, mut theirs) = duplex(10);
        let mut ours = WriteTimeout::new(ours, Duration::from_secs(5));
        let reading = async {
            let mut piece = [0; 10];
            for _ in 0..10 {
                sleep(Duration::from_secs(4)).await;
                theirs.read_exact(&mut piece).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(ours.write_all(&[0; 100]), reading);
        written.unwrap();
    }
}
