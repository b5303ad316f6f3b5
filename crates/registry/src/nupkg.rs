//! Types in a .NET package (`.nupkg`), as they are published beside the registry: a zip archive with an assembly whose
//! manifest resources are the files of the package of types, each deflated and named by its path in lower case with
//! `.deflated` behind. The bytes of the package come in, a catalogue goes out.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use bicep_types::catalogue::{INDEX, pack};

use crate::archive::Limits;
use crate::assembly;
use crate::error::Error;
use crate::types::Packed;
use crate::zip::{self, Zip};

/// Packs the types of a .NET package. `origin` is what the catalogue says about itself when the package has no name.
pub(crate) fn pack_nupkg(bytes: &[u8], origin: &str) -> Result<Packed, Error> {
    let zip = Zip::open(bytes)?;
    let origin = identity(&zip).unwrap_or_else(|| origin.to_owned());
    for name in zip.names().filter(|name| name.starts_with("lib/") && name.ends_with(".dll")) {
        let assembly = zip.read(name, MAX_ASSEMBLY)?;
        let Some(resources) = assembly::manifest_resources(&assembly) else { continue };
        let files: BTreeMap<&str, &[u8]> = resources.into_iter().collect();
        if files.contains_key(resource_name(INDEX).as_str()) {
            return pack_resources(&files, &origin);
        }
    }
    let reason = format!("it has no assembly under \"lib\" with the resource \"{}\"", resource_name(INDEX));
    Err(Error::Archive(reason))
}

/// The published one has 35 MB.
const MAX_ASSEMBLY: u64 = 1 << 30;

fn pack_resources(files: &BTreeMap<&str, &[u8]>, origin: &str) -> Result<Packed, Error> {
    let limit = Limits::default().bytes;
    let total = Cell::new(0u64);
    let broken = RefCell::new(None);
    let (bytes, problems) = pack(origin, |path| {
        let packed = files.get(resource_name(path).as_str())?;
        match zip::inflate(packed, limit - total.get()) {
            Ok(content) => {
                total.set(total.get() + content.len() as u64);
                Some(content)
            }
            Err(reason) => {
                broken.borrow_mut().get_or_insert(format!("\"{path}\" in it {reason}"));
                None
            }
        }
    });
    match broken.into_inner() {
        Some(reason) => Err(Error::Archive(reason)),
        None => Ok(Packed { bytes, problems }),
    }
}

fn resource_name(path: &str) -> String {
    format!("{}.deflated", path.to_ascii_lowercase())
}

/// `nuget:ID:VERSION`, from the description that every package has at its root.
fn identity(zip: &Zip<'_>) -> Option<String> {
    let name = zip.names().find(|name| name.ends_with(".nuspec") && !name.contains('/'))?;
    let text = String::from_utf8(zip.read(name, 1 << 20).ok()?).ok()?;
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once('<').map(|(value, _)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    Some(format!("nuget:{}:{}", element("id")?, element("version")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bicep_types::Catalogue;
    use camino::{Utf8Path, Utf8PathBuf};

    fn sample() -> Option<Vec<u8>> {
        let folders =
            Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
        let named = std::env::var("SINEW_SHARED").ok().map(Utf8PathBuf::from);
        let mut paths = named.into_iter().chain(folders).map(|folder| folder.join("types/sample.nupkg"));
        let found = paths.find_map(|path| std::fs::read(path).ok());
        if found.is_none() {
            #[expect(clippy::disallowed_macros, reason = "a test that finds no data says so")]
            {
                eprintln!(
                    "skipped: there is no folder `shared` beside the project and SINEW_SHARED is not set"
                );
            }
        }
        found
    }

    #[test]
    fn types_of_a_net_package_are_packed() {
        let Some(bytes) = sample() else { return };
        let packed = pack_nupkg(&bytes, "sample.nupkg").unwrap();
        assert_eq!(packed.problems, []);
        let catalogue = Catalogue::open(packed.bytes).unwrap();
        assert_eq!(catalogue.info().unwrap().origin, "nuget:Sample.Types:0.1.2");
        assert!(catalogue.find("Contoso.Shop/stores", "2025-01-01").unwrap().is_some());
    }

    #[test]
    fn damaged_packages_are_refused() {
        let Some(bytes) = sample() else { return };
        for cut in (0..bytes.len()).step_by(61) {
            assert!(pack_nupkg(&bytes[..cut], "x").is_err(), "{cut}");
        }
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            // Whatever it gives, it ends.
            let _ = pack_nupkg(&changed, "x");
        }
    }

    #[test]
    fn any_bytes_may_stand_for_an_assembly() {
        let Some(bytes) = sample() else { return };
        let zip = Zip::open(&bytes).unwrap();
        let name = zip.names().find(|name| name.ends_with(".dll")).unwrap();
        let assembly = zip.read(name, MAX_ASSEMBLY).unwrap();
        assert_eq!(assembly::manifest_resources(&assembly).unwrap().len(), 2);
        for at in 0..assembly.len() {
            let mut changed = assembly.clone();
            changed[at] ^= 0xff;
            let _ = assembly::manifest_resources(&changed);
        }
        assert!(assembly::manifest_resources(b"MZ").is_none());
    }
}
