//! Where things lie: the user's folder, installed catalogues, the cache.

use std::collections::BTreeMap;

use base::World;
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;

/// The user's own folder.
pub fn user_folder(world: &dyn World) -> Option<Utf8PathBuf> {
    let named = |name: &str| world.variable(name).filter(|value| !value.is_empty()).map(Utf8PathBuf::from);
    named("HOME").or_else(|| named("USERPROFILE"))
}

/// Where the Docker configuration lies.
pub fn docker_config_path(world: &dyn World) -> Option<Utf8PathBuf> {
    match world.variable("DOCKER_CONFIG").filter(|folder| !folder.is_empty()) {
        Some(folder) => Some(Utf8PathBuf::from(folder).join("config.json")),
        None => Some(user_folder(world)?.join(".docker/config.json")),
    }
}

/// Where installed data lies: `SINEW_HOME`, else the place that the system has for it.
pub fn data_folder(world: &dyn World) -> Option<Utf8PathBuf> {
    let named = |name: &str| world.variable(name).filter(|value| !value.is_empty()).map(Utf8PathBuf::from);
    if let Some(home) = named("SINEW_HOME") {
        return Some(home);
    }
    match std::env::consts::OS {
        "windows" => Some(named("LOCALAPPDATA")?.join("sinew")),
        "macos" => Some(user_folder(world)?.join("Library/Application Support/sinew")),
        _ => match named("XDG_DATA_HOME") {
            Some(folder) => Some(folder.join("sinew")),
            None => Some(user_folder(world)?.join(".local/share/sinew")),
        },
    }
}

/// Where restored artifacts lie: what the configuration says, else under `SINEW_HOME`, else the folder that the
/// reference implementation uses, so that both share it.
pub fn cache_root(world: &dyn World, config: &Config) -> Option<Utf8PathBuf> {
    if let Some(root) = &config.cache_root {
        return Some(root.clone());
    }
    match world.variable("SINEW_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Some(Utf8PathBuf::from(home).join("cache")),
        None => Some(user_folder(world)?.join(".bicep")),
    }
}

/// Where catalogues of types are installed.
pub fn catalogue_folder(world: &dyn World) -> Option<Utf8PathBuf> {
    Some(data_folder(world)?.join("types"))
}

/// How the names of catalogues end.
pub const CATALOGUE: &str = "types";

/// The file of a catalogue by its name: the installed one, else one beside the binary, else none.
pub fn find_catalogue(world: &dyn World, binary: Option<&Utf8Path>, name: &str) -> Option<Utf8PathBuf> {
    let folders = catalogue_folders(world, binary);
    folders.map(|folder| folder.join(format!("{name}.{CATALOGUE}"))).find(|path| path.is_file())
}

/// The files of all catalogues that can be found, by name.
pub fn find_catalogues(world: &dyn World, binary: Option<&Utf8Path>) -> BTreeMap<String, Utf8PathBuf> {
    let mut found = BTreeMap::new();
    for folder in catalogue_folders(world, binary) {
        let Ok(entries) = folder.read_dir_utf8() else { continue };
        for path in entries.flatten().map(camino::Utf8DirEntry::into_path) {
            if path.extension() == Some(CATALOGUE)
                && let Some(name) = path.file_stem()
                && path.is_file()
            {
                found.entry(name.to_owned()).or_insert(path);
            }
        }
    }
    found
}

/// Where catalogues are looked for, in this order.
fn catalogue_folders(world: &dyn World, binary: Option<&Utf8Path>) -> impl Iterator<Item = Utf8PathBuf> {
    let beside = binary.and_then(Utf8Path::parent).map(Utf8Path::to_owned);
    let folders = [catalogue_folder(world), beside.as_ref().map(|folder| folder.join("types")), beside];
    folders.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::MemoryWorld;

    #[test]
    fn the_cache_lies_where_it_is_told() {
        let check = |config: &str, variables: &[(&str, &str)], expected: &str| {
            let world = variables
                .iter()
                .fold(MemoryWorld::new(), |world, (name, value)| world.with_variable(*name, *value));
            let world = world.with_file("/p/bicepconfig.json", config);
            let config = config::load_for(&world, "/p/main.bicep".into()).0;
            assert_eq!(cache_root(&world, &config).as_deref(), Some(expected.into()));
        };
        let home = ("HOME", "/home/me");
        check("{}", &[home], "/home/me/.bicep");
        check("{}", &[home, ("SINEW_HOME", "/s")], "/s/cache");
        check("{}", &[home, ("SINEW_HOME", "")], "/home/me/.bicep");
        check(r#"{ "cacheRootDirectory": "~/c" }"#, &[home, ("SINEW_HOME", "/s")], "/home/me/c");
        check(r#"{ "cacheRootDirectory": "c" }"#, &[home], "/p/c");
    }

    #[test]
    fn an_installed_catalogue_goes_before_one_beside_the_binary() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let world = MemoryWorld::new().with_variable("SINEW_HOME", root.join("home").as_str());
        let binary = root.join("bin/sinew");
        let find = || find_catalogue(&world, Some(&binary), "az");
        assert_eq!(find(), None);
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::write(root.join("bin/az.types"), "").unwrap();
        assert_eq!(find(), Some(root.join("bin/az.types")));
        std::fs::create_dir_all(root.join("home/types")).unwrap();
        std::fs::write(root.join("home/types/az.types"), "").unwrap();
        assert_eq!(find(), Some(root.join("home/types/az.types")));
        std::fs::write(root.join("bin/other.types"), "").unwrap();
        let all = find_catalogues(&world, Some(&binary));
        let expected = [("az", "home/types/az.types"), ("other", "bin/other.types")];
        assert_eq!(all, expected.map(|(name, path)| (name.to_owned(), root.join(path))).into());
    }
}
