//! The server from outside: real connections, a real engine, its state in memory.

mod groups;
mod hostile;
mod login;
mod server;
