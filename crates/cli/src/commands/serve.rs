//! `sinew serve`: Azure's Deployments API on this machine.

use std::fmt::Write as _;
use std::net::SocketAddr;

use api::tls::{self, Identity};
use api::{Access, HttpLimits};
use base::World;
use camino::Utf8PathBuf;
use clap::ValueEnum;
use deploy::Engine;
use registry::home;
use tokio::net::TcpListener;
use tracing_subscriber::filter::LevelFilter;

use crate::deployment::target::EngineArgs;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew serve                                     HTTP on 127.0.0.1:8080
  sinew serve --tls   HTTPS, for the Azure CLI and the SDKs
  sinew serve --listen 127.0.0.1:0 --state try.db
  sinew serve --state postgres://user@host/name   for several servers
  SINEW_TOKEN=… sinew serve --listen 0.0.0.0:8443 --tls --tls-name host.example

The first line on standard output is the address. Open it in a browser to watch
deployments. Logs are JSON lines on standard error. On addresses other than
loopback, a token is required; without SINEW_TOKEN, one is generated.";

/// Run Azure's Deployments API locally, with a web page
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The address to listen on; port 0 selects a free port [default: 127.0.0.1:8080, with --tls 127.0.0.1:8443]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    #[command(flatten)]
    engine: EngineArgs,

    /// Use HTTPS, with a certificate of a local authority
    #[arg(long)]
    tls: bool,

    /// Read the access token from a file instead of SINEW_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<Utf8PathBuf>,

    /// An additional host name or address for the certificate
    #[arg(long, value_name = "NAME", requires = "tls")]
    tls_name: Vec<String>,

    /// The log level
    #[arg(long, value_enum, ignore_case = true, value_name = "LEVEL", default_value_t)]
    log: Log,
}

/// The log level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Log {
    /// Nothing
    Off,
    /// Server errors
    Error,
    /// Every request
    #[default]
    Info,
    /// Requests and connections
    Debug,
}

/// The shortest token that is taken.
const SHORTEST_TOKEN: usize = 16;

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    start_log(args.log);
    let address =
        args.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], if args.tls { 8443 } else { 8080 })));
    let guard = guard(args, address, session)?;
    let identity = if args.tls { Some(identity(args, address, session)?) } else { None };
    let options = args.engine.options(session)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::server(&error))?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| Failure::server(&format!("{address}: {error}")))?;
        let bound = listener.local_addr().map_err(|error| Failure::server(&error))?;
        let engine = Engine::open(options).await.map_err(|error| Failure::server(&error))?;
        announce(bound, &guard, identity.as_ref(), session)?;
        let options = api::Options { engine, access: guard.access, limits: HttpLimits::default(), identity };
        api::serve(listener, options, stopped()).await.map_err(|error| Failure::server(&error))
    })?;
    Ok(Status::Clean)
}

/// Who may come in, and the token if it was made just now.
struct Guard {
    access: Access,
    made: Option<String>,
}

fn guard(args: &Args, address: SocketAddr, session: &Session) -> Result<Guard, Failure> {
    let given = match &args.token_file {
        Some(path) => {
            let text = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
            Some(text.text().trim().to_owned())
        }
        None => session.world.variable("SINEW_TOKEN").filter(|token| !token.is_empty()),
    };
    match given {
        Some(token) if token.len() < SHORTEST_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(Failure::weak_token(SHORTEST_TOKEN))
        }
        Some(token) => Ok(Guard { access: Access::with_token(&token), made: None }),
        None if address.ip().is_loopback() => Ok(Guard { access: Access::local(), made: None }),
        None => {
            let token = api::new_token();
            Ok(Guard { access: Access::with_token(&token), made: Some(token) })
        }
    }
}

fn identity(args: &Args, address: SocketAddr, session: &Session) -> Result<Identity, Failure> {
    let folder = home::data_folder(&session.world).ok_or_else(Failure::no_data_folder)?.join("tls");
    let mut names = tls::names_of(address.ip());
    names.extend(args.tls_name.iter().cloned());
    tls::identity(folder.as_std_path(), &names).map_err(|error| Failure::server(&error))
}

/// The address on standard output, what to do with it on standard error.
fn announce(
    bound: SocketAddr,
    guard: &Guard,
    identity: Option<&Identity>,
    session: &Session,
) -> Result<(), Failure> {
    let url = format!("{}://{bound}", if identity.is_some() { "https" } else { "http" });
    let mut talk = String::new();
    if let Some(token) = &guard.made {
        let _ = writeln!(talk, "token: {token}");
    }
    if let Some(identity) = identity {
        let authority = identity.authority.display();
        let _ = write!(
            talk,
            "authority: {authority}\n\
             to trust it:\n  \
             export REQUESTS_CA_BUNDLE={authority}    Azure CLI, Python\n  \
             export NODE_EXTRA_CA_CERTS={authority}   JavaScript\n  \
             curl --cacert {authority} {url}/healthz\n\
             to use it from the Azure CLI:\n  \
             az cloud register --name Sinew --endpoint-resource-manager {url}\n  \
             az cloud set --name Sinew && az config set core.instance_discovery=false\n  \
             az login --service-principal -u any -p TOKEN --tenant {}\n",
            api::TENANT
        );
    }
    session.output.talk(&talk)?;
    session.output.data(&format!("{url}\n"))
}

/// Done when the process is asked to end.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Lines of JSON on standard error.
fn start_log(log: Log) {
    let level = match log {
        Log::Off => LevelFilter::OFF,
        Log::Error => LevelFilter::ERROR,
        Log::Info => LevelFilter::INFO,
        Log::Debug => LevelFilter::DEBUG,
    };
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .finish();
    // There is one command in a process, so nobody else has set one.
    let _ = tracing_subscriber::util::SubscriberInitExt::try_init(subscriber);
}
