//! HTTPS for a machine of one's own: a certificate authority that is made once and kept in a folder, and a certificate of
//! the server that is made anew at every start.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use time::{Duration, OffsetDateTime};

/// A server that can prove who it is.
pub struct Identity {
    /// The certificate of the authority, which clients must trust.
    pub authority: PathBuf,
    pub(crate) config: Arc<ServerConfig>,
}

/// Why there is no identity.
#[derive(Debug)]
pub enum TlsError {
    /// The folder cannot be used.
    Folder {
        /// Which.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// What is in the folder, or the names of the server, cannot be used.
    Certificate(String),
}

impl std::fmt::Display for TlsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Certificate(reason) => write!(f, "no certificate can be made: {reason}"),
        }
    }
}

impl std::error::Error for TlsError {}

const AUTHORITY: &str = "Sinew local authority";
const CERTIFICATE: &str = "ca.pem";
const KEY: &str = "ca-key.pem";
/// An authority that somebody has copied is of no use for long.
const AUTHORITY_DAYS: i64 = 90;
/// After so many days it is made anew, so that a server never starts with one that is about to end.
const RENEWAL: std::time::Duration = std::time::Duration::from_secs(60 * 24 * 3600);
/// Certificates of the server end with their authority.
const SERVER_DAYS: i64 = 30;

/// An identity for these names, issued by the authority in the folder. The authority is made when there is none.
pub fn identity(folder: &Path, names: &[String]) -> Result<Identity, TlsError> {
    let folder = &folder_of(folder, names);
    let authority = folder.join(CERTIFICATE);
    if is_old(&authority) {
        let before = folder.with_extension("before");
        let _ = fs::remove_dir_all(&before);
        let fail = |error| TlsError::Folder { path: folder.clone(), error };
        fs::rename(folder, &before).map_err(fail)?;
    }
    if !authority.is_file() {
        make_authority(folder, names)?;
    }
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| TlsError::Folder { path: path.to_owned(), error })
    };
    let (certificate, key) = (read(&authority)?, read(&folder.join(KEY))?);
    let config = server_config(&certificate, &key, names).map_err(TlsError::Certificate)?;
    Ok(Identity { authority, config: Arc::new(config) })
}

/// The folder of the authority for these names. That of this machine's own names vouches for nothing else; other names have
/// authorities of their own.
fn folder_of(folder: &Path, names: &[String]) -> PathBuf {
    let mut others: Vec<&str> = names.iter().map(String::as_str).filter(|name| !is_loopback(name)).collect();
    others.sort_unstable();
    others.dedup();
    if others.is_empty() {
        return folder.to_owned();
    }
    let digest = ring::digest::digest(&ring::digest::SHA256, others.join("\n").as_bytes());
    let short: String = digest.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("names-{short}"))
}

fn is_loopback(name: &str) -> bool {
    let is_address = name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || name.eq_ignore_ascii_case("localhost")
}

/// Whether an authority was made too long ago.
fn is_old(authority: &Path) -> bool {
    let made = fs::metadata(authority).and_then(|about| about.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > RENEWAL))
}

/// The names that an authority may vouch for: those of this machine, and those that were asked for.
fn constraints(names: &[String]) -> NameConstraints {
    let mut permitted = vec![
        GeneralSubtree::DnsName("localhost".to_owned()),
        GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(IpAddr::from([127, 0, 0, 0]), 8)),
        GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(
            IpAddr::from(std::net::Ipv6Addr::LOCALHOST),
            128,
        )),
    ];
    for name in names.iter().filter(|name| !is_loopback(name)) {
        permitted.push(match name.parse::<IpAddr>() {
            Ok(address) => {
                let bits = if address.is_ipv4() { 32 } else { 128 };
                GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, bits))
            }
            Err(_) => GeneralSubtree::DnsName(name.clone()),
        });
    }
    NameConstraints { permitted_subtrees: permitted, excluded_subtrees: Vec::new() }
}

/// Makes an authority. The folder appears whole or not at all, and whoever comes second takes that of the first.
fn make_authority(folder: &Path, names: &[String]) -> Result<(), TlsError> {
    let (certificate, key) =
        new_authority(names).map_err(|error| TlsError::Certificate(error.to_string()))?;
    let fail = |error| TlsError::Folder { path: folder.to_owned(), error };
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(fail)?;
    let made = tempfile::tempdir_in(parent).map_err(fail)?;
    fs::write(made.path().join(CERTIFICATE), certificate).map_err(fail)?;
    let mut secret = tempfile::Builder::new().tempfile_in(made.path()).map_err(fail)?;
    io::Write::write_all(&mut secret, key.as_bytes()).map_err(fail)?;
    // A temporary file is readable by its owner alone, and stays so under its new name.
    secret.persist(made.path().join(KEY)).map_err(|error| fail(error.error))?;
    match fs::rename(made.path(), folder) {
        Ok(()) => {
            let _moved = made.keep();
            Ok(())
        }
        Err(_) if folder.join(CERTIFICATE).is_file() => Ok(()),
        Err(error) => Err(fail(error)),
    }
}

fn new_authority(names: &[String]) -> Result<(String, String), rcgen::Error> {
    let key = KeyPair::generate()?;
    Ok((authority_params(names)?.self_signed(&key)?.pem(), key.serialize_pem()))
}

/// What every authority of ours says about itself, so that nothing has to be read from its certificate.
fn authority_params(names: &[String]) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name = named(AUTHORITY);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.name_constraints = Some(constraints(names));
    (params.not_before, params.not_after) = period(AUTHORITY_DAYS);
    Ok(params)
}

/// Checks that a certificate is one of our authorities and belongs to a key: clients would trust it in vain.
fn check_authority(certificate: &str, key: &KeyPair) -> Result<(), String> {
    let der = CertificateDer::from_pem_slice(certificate.as_bytes()).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    roots.add(der).map_err(|error| error.to_string())?;
    let is_ours = roots.roots.iter().any(|anchor| {
        let subject = anchor.subject.as_ref();
        subject.ends_with(AUTHORITY.as_bytes())
            && anchor.subject_public_key_info.as_ref().ends_with(key.public_key_raw())
    });
    if is_ours {
        Ok(())
    } else {
        Err(format!("{CERTIFICATE} and {KEY} are not an authority of this program"))
    }
}

fn server_config(authority: &str, authority_key: &str, names: &[String]) -> Result<ServerConfig, String> {
    let text = |error: rcgen::Error| error.to_string();
    let issuer_key = KeyPair::from_pem(authority_key).map_err(text)?;
    check_authority(authority, &issuer_key)?;
    let issuer = Issuer::new(authority_params(names).map_err(text)?, issuer_key);
    let key = KeyPair::generate().map_err(text)?;
    let mut params = CertificateParams::new(names.to_vec()).map_err(text)?;
    params.distinguished_name = named("sinew serve");
    params.is_ca = IsCa::ExplicitNoCa;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    (params.not_before, params.not_after) = period(SERVER_DAYS);
    let certificate = params.signed_by(&key, &issuer).map_err(text)?;
    let secret = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], secret)
        })
        .map_err(|error| error.to_string())?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// From yesterday on, as clocks differ.
fn period(days: i64) -> (OffsetDateTime, OffsetDateTime) {
    let now = OffsetDateTime::now_utc();
    (now - Duration::days(1), now + Duration::days(days))
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

/// The names under which a server on this address is reached.
pub fn names_of(address: IpAddr) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let own = address.to_string();
    if !address.is_unspecified() && !names.contains(&own) {
        names.push(own);
    }
    names
}

#[cfg(test)]
mod tests {
    use rustls::client::danger::ServerCertVerifier as _;
    use rustls::pki_types::{ServerName, UnixTime};

    use super::*;

    #[test]
    fn the_authority_is_made_once_and_its_key_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("tls");
        let names = names_of("127.0.0.1".parse().unwrap());
        let first = identity(&folder, &names).unwrap();
        let authority = fs::read(&first.authority).unwrap();
        let second = identity(&folder, &names).unwrap();
        assert_eq!(authority, fs::read(second.authority).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.join(KEY)).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{mode:o}");
        }
    }

    #[test]
    fn other_names_have_an_authority_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let own = names_of("127.0.0.1".parse().unwrap());
        let more: Vec<String> = own.iter().cloned().chain(["host.example".to_owned()]).collect();
        let (own, more) = (identity(folder.path(), &own).unwrap(), identity(folder.path(), &more).unwrap());
        assert_ne!(own.authority, more.authority);
    }

    #[test]
    fn an_authority_vouches_for_its_names_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("tls");
        let own = names_of("127.0.0.1".parse().unwrap());
        let authority = identity(&folder, &own).unwrap().authority;
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = rustls::client::WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = verifier.build().unwrap();
        // A certificate of the authority's own key for any name.
        let key = KeyPair::from_pem(&fs::read_to_string(folder.join(KEY)).unwrap()).unwrap();
        let issuer = Issuer::new(authority_params(&own).unwrap(), key);
        let check = |name: &str| {
            let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
            (params.not_before, params.not_after) = period(1);
            let certificate = params.signed_by(&KeyPair::generate().unwrap(), &issuer).unwrap();
            let name = ServerName::try_from(name).unwrap().to_owned();
            verifier.verify_server_cert(certificate.der(), &[], &name, &[], UnixTime::now()).is_ok()
        };
        assert!(check("localhost"));
        assert!(check("127.0.0.1"));
        assert!(!check("evil.example"), "another name");
        assert!(!check("10.0.0.1"), "another address");
    }

    #[test]
    fn an_old_authority_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, names) = (folder.path().join("tls"), names_of("127.0.0.1".parse().unwrap()));
        let authority = identity(&folder, &names).unwrap().authority;
        let before = fs::read(&authority).unwrap();
        let file = fs::File::options().append(true).open(&authority).unwrap();
        file.set_modified(std::time::SystemTime::now() - RENEWAL - std::time::Duration::from_secs(60))
            .unwrap();
        let authority = identity(&folder, &names).unwrap().authority;
        assert_ne!(before, fs::read(authority).unwrap());
    }

    #[test]
    fn a_broken_authority_is_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CERTIFICATE), "nothing").unwrap();
        let missing = identity(folder.path(), &names_of("::1".parse().unwrap())).err().unwrap();
        assert!(matches!(missing, TlsError::Folder { .. }), "{missing}");
        fs::write(folder.path().join(KEY), "nothing").unwrap();
        let broken = identity(folder.path(), &names_of("::1".parse().unwrap())).err().unwrap();
        assert!(matches!(broken, TlsError::Certificate(_)), "{broken}");
    }

    #[test]
    fn a_key_must_belong_to_its_authority() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        let names = names_of("::1".parse().unwrap());
        identity(&first, &names).unwrap();
        identity(&second, &names).unwrap();
        fs::copy(second.join(KEY), first.join(KEY)).unwrap();
        let broken = identity(&first, &names).err().unwrap();
        assert!(broken.to_string().contains("not an authority"), "{broken}");
    }
}
