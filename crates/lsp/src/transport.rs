//! Messages on a stream: bytes come in, texts with a length before them; the same goes out. The stream is standard input and
//! output, or a socket that the client listens on.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

/// Larger messages are skipped: a file that large cannot be compiled, and its text is sent several times over.
const MAX_MESSAGE: u64 = 256 << 20;

/// Both directions of a connection.
pub struct Connection {
    pub(crate) reader: Box<dyn BufRead + Send>,
    pub(crate) writer: Box<dyn Write + Send>,
}

/// Standard input and output.
pub fn stdio() -> Connection {
    Connection { reader: Box::new(BufReader::new(io::stdin())), writer: Box::new(io::stdout()) }
}

/// A port of this machine on which the client listens.
pub fn connect_socket(port: u16) -> io::Result<Connection> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    let reader = BufReader::new(stream.try_clone()?);
    Ok(Connection { reader: Box::new(reader), writer: Box::new(stream) })
}

/// A named pipe on which the client listens: on Unix the path of a socket.
#[cfg(unix)]
pub fn connect_pipe(name: &str) -> io::Result<Connection> {
    let stream = std::os::unix::net::UnixStream::connect(name)?;
    let reader = BufReader::new(stream.try_clone()?);
    Ok(Connection { reader: Box::new(reader), writer: Box::new(stream) })
}

/// A named pipe, as .NET understands its name: on Unix a name without a folder stands for a socket among the temporary files,
/// and a path for itself. A client may make the pipe after it has started this program, so it is waited for.
pub fn wait_for_pipe(name: &str) -> io::Result<Connection> {
    let name = name.strip_prefix(r"\\.\pipe\").unwrap_or(name);
    let path = match cfg!(unix) && !name.starts_with('/') {
        true => std::env::temp_dir().join(format!("CoreFxPipe_{name}")).to_string_lossy().into_owned(),
        false => name.to_owned(),
    };
    let start = Instant::now();
    loop {
        match connect_pipe(&path) {
            Ok(connection) => return Ok(connection),
            Err(error) if start.elapsed() > PIPE_PATIENCE => return Err(error),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// A client that has not made its pipe by then will not make it.
const PIPE_PATIENCE: Duration = Duration::from_secs(60);

/// A named pipe on which the client listens.
#[cfg(not(unix))]
pub fn connect_pipe(name: &str) -> io::Result<Connection> {
    let path = if name.starts_with(r"\\.\pipe\") { name.to_owned() } else { format!(r"\\.\pipe\{name}") };
    let pipe = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
    let reader = BufReader::new(pipe.try_clone()?);
    Ok(Connection { reader: Box::new(reader), writer: Box::new(pipe) })
}

/// How messages are told apart on a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A header with the length stands before each message.
    Headers,
    /// Each message is one line.
    Lines,
}

impl Framing {
    /// Reads the next message.
    pub(crate) fn read(self, reader: &mut dyn BufRead) -> Incoming {
        match self {
            Self::Headers => read(reader),
            Self::Lines => read_line(reader),
        }
    }

    /// Writes a message.
    pub(crate) fn write(self, writer: &mut dyn Write, content: &[u8]) -> io::Result<()> {
        match self {
            Self::Headers => write(writer, content),
            // JSON as it is printed here has no line ends in it.
            Self::Lines => {
                writer.write_all(content)?;
                writer.write_all(b"\n")?;
                writer.flush()
            }
        }
    }
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// The content of a message.
    Message(Vec<u8>),
    /// Something that is no message; what follows may be one.
    Malformed(&'static str),
    /// The client has gone.
    End,
}

/// Reads the next message.
pub(crate) fn read(reader: &mut dyn BufRead) -> Incoming {
    let mut length: Option<u64> = None;
    let mut has_header = false;
    loop {
        let mut line = Vec::new();
        match reader.take(MAX_HEADER).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Incoming::End,
            Ok(_) => {}
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            if !has_header {
                continue;
            }
            break;
        }
        has_header = true;
        let text = String::from_utf8_lossy(line);
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let Some(length) = length else { return Incoming::Malformed("a message without Content-Length") };
    if length > MAX_MESSAGE {
        let skipped = io::copy(&mut reader.take(length), &mut io::sink());
        return skipped.map_or(Incoming::End, |_| Incoming::Malformed("a message that is too large"));
    }
    let mut content = Vec::new();
    match reader.take(length).read_to_end(&mut content) {
        Ok(read) if read as u64 == length => Incoming::Message(content),
        _ => Incoming::End,
    }
}

/// Reads a message that is one line. Empty lines are skipped.
fn read_line(reader: &mut dyn BufRead) -> Incoming {
    loop {
        let mut line = Vec::new();
        match reader.take(MAX_MESSAGE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Incoming::End,
            Ok(read) if read as u64 == MAX_MESSAGE && line.last() != Some(&b'\n') => {
                return skip_line(reader);
            }
            Ok(_) => {}
        }
        let content = line.trim_ascii();
        if !content.is_empty() {
            return Incoming::Message(content.to_vec());
        }
    }
}

/// Skips the rest of a line that is too long.
fn skip_line(reader: &mut dyn BufRead) -> Incoming {
    loop {
        let mut rest = Vec::new();
        match reader.take(MAX_HEADER).read_until(b'\n', &mut rest) {
            Ok(0) | Err(_) => return Incoming::End,
            Ok(_) if rest.last() == Some(&b'\n') => {
                return Incoming::Malformed("a message that is too large");
            }
            Ok(_) => {}
        }
    }
}

/// A line of a header is never that long.
const MAX_HEADER: u64 = 64 << 10;

/// Writes a message.
pub(crate) fn write(writer: &mut dyn Write, content: &[u8]) -> io::Result<()> {
    write!(writer, "Content-Length: {}\r\n\r\n", content.len())?;
    writer.write_all(content)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(input: &str) -> Vec<Incoming> {
        let mut reader = input.as_bytes();
        let mut found = Vec::new();
        loop {
            match read(&mut reader) {
                Incoming::End => return found,
                message => found.push(message),
            }
        }
    }

    #[test]
    fn a_line_is_a_message() {
        let mut reader = b"{}\n\n  \n[1]\r\n{\"a\":1}".as_slice();
        let mut lines = Vec::new();
        while let Incoming::Message(content) = Framing::Lines.read(&mut reader) {
            lines.push(String::from_utf8(content).unwrap());
        }
        assert_eq!(lines, ["{}", "[1]", "{\"a\":1}"]);
    }

    #[test]
    fn a_message_without_a_length_does_not_end_the_connection() {
        let good = || Incoming::Message(b"{}".to_vec());
        assert_eq!(messages("Content-Length: 2\r\n\r\n{}"), [good()]);
        assert_eq!(messages("content-length:2\r\nContent-Type: x\r\n\r\n{}"), [good()]);
        let malformed = Incoming::Malformed("a message without Content-Length");
        assert_eq!(messages("Nonsense\r\n\r\nContent-Length: 2\r\n\r\n{}"), [malformed, good()]);
        assert_eq!(messages("Content-Length: 20\r\n\r\n{}"), []);
    }
}
