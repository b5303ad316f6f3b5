//! Messages on a stream: bytes come in, texts with a length before them; the same goes out. The stream is standard input and
//! output, or a socket that the client listens on.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

/// Larger messages are skipped: a file that large cannot be compiled, and its text is sent several times over.
const MAX_MESSAGE: u64 = 256 << 20;

/// Both directions of a connection.
pub struct Connection {
    pub(crate) reader: Box<dyn BufRead + Send>,
    pub(crate) writer: Box<dyn Write + Send>,
}

impl Connection {
    /// A connection over any streams.
    pub fn new(reader: impl BufRead + Send + 'static, writer: impl Write + Send + 'static) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer) }
    }
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

/// A named pipe on which the client listens.
#[cfg(not(unix))]
pub fn connect_pipe(name: &str) -> io::Result<Connection> {
    let path = if name.starts_with(r"\\.\pipe\") { name.to_owned() } else { format!(r"\\.\pipe\{name}") };
    let pipe = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
    let reader = BufReader::new(pipe.try_clone()?);
    Ok(Connection { reader: Box::new(reader), writer: Box::new(pipe) })
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
    fn a_message_without_a_length_does_not_end_the_connection() {
        let good = || Incoming::Message(b"{}".to_vec());
        assert_eq!(messages("Content-Length: 2\r\n\r\n{}"), [good()]);
        assert_eq!(messages("content-length:2\r\nContent-Type: x\r\n\r\n{}"), [good()]);
        let malformed = Incoming::Malformed("a message without Content-Length");
        assert_eq!(messages("Nonsense\r\n\r\nContent-Length: 2\r\n\r\n{}"), [malformed, good()]);
        assert_eq!(messages("Content-Length: 20\r\n\r\n{}"), []);
    }
}
