//! What is read from a catalogue is what the package says: every type of the published packages.

use std::collections::HashSet;

use bicep_types::Catalogue;
use bicep_types::catalogue::{Descriptions, INDEX, Packer, Ref, Versioned};
use bicep_types::def::{Def, Entry, PropertyDef};
use bicep_types::protocol::{self, Position};

use crate::shared::{Files, az_catalogue, packed, types_archive};

#[test]
fn azure_types_survive_packing() {
    let Some(files) = types_archive("az-0.2.896.tar.zst") else { return };
    let catalogue = az_catalogue().unwrap();
    let checked = Comparison::of_package(&files, "", catalogue);
    assert_eq!(checked, 33_978);
    assert_eq!(catalogue.info().unwrap().resource_count, 33_978);
}

#[test]
fn kubernetes_types_survive_packing() {
    let Some(files) = types_archive("k8s.tar.zst") else { return };
    let versions: Vec<&str> = files.keys().filter_map(|path| path.strip_suffix("/index.json")).collect();
    assert_eq!(versions.len(), 5);
    for version in versions {
        let folder = format!("{version}/");
        let catalogue = packed(&files, &folder);
        let checked = Comparison::of_package(&files, &folder, &catalogue);
        assert!(checked > 50, "{version}: {checked}");
        assert_eq!(catalogue.settings().unwrap().unwrap().name, "Kubernetes");
        assert!(catalogue.fallback().unwrap().is_some());
    }
}

#[test]
fn equal_packages_give_equal_catalogues() {
    let Some(files) = types_archive("k8s.tar.zst") else { return };
    let forward = bicep_types::catalogue::pack("x", |path| files.get(&format!("v1.33.0/{path}"))).0;
    let mut packer = Packer::new("x");
    for (path, bytes) in files.iter().rev() {
        if let Some(path) = path.strip_prefix("v1.33.0/") {
            packer.add(path, bytes);
        }
    }
    let (backward, problems) = packer.finish();
    assert!(problems.is_empty());
    // Another order of files is another order of numbers, but the same content.
    assert_eq!(forward.len(), backward.len());
    assert_eq!(forward, bicep_types::catalogue::pack("x", |path| files.get(&format!("v1.33.0/{path}"))).0);
}

/// Walks a file of the package and the catalogue side by side.
struct Comparison<'a, 'd> {
    catalogue: &'a Catalogue,
    descriptions: &'d mut Descriptions,
    entries: &'d [Entry<'d, Position>],
    seen: HashSet<(Position, Ref)>,
}

impl Comparison<'_, '_> {
    /// Compares everything that the index leads to; gives the number of resource types.
    fn of_package(files: &Files, folder: &str, catalogue: &Catalogue) -> usize {
        let file = |path: &str| files.get(&format!("{folder}{path}")).unwrap();
        let (index, problems) = protocol::read_index(INDEX, file(INDEX));
        assert_eq!(problems, []);
        let mut checked = 0;
        let mut descriptions = catalogue.descriptions();
        for path in index.files() {
            let (entries, problems) = protocol::read_types(&path, file(&path));
            assert_eq!(problems, []);
            let mut comparison = Comparison {
                catalogue,
                descriptions: &mut descriptions,
                entries: &entries,
                seen: HashSet::new(),
            };
            for (key, target) in index.resources.iter().filter(|(_, target)| target.path == path) {
                comparison.resource(key, target.position);
                checked += 1;
            }
            for (name, version, targets) in &index.resource_functions {
                if targets.iter().all(|target| target.path == path) {
                    let positions = targets.iter().map(|target| target.position);
                    comparison.functions(&catalogue.find(name, version).unwrap().unwrap(), positions);
                }
            }
            let settings = index.settings.as_ref().and_then(|settings| settings.configuration.as_ref());
            if let Some(target) = settings.filter(|target| target.path == path) {
                let stored = catalogue.settings().unwrap().unwrap();
                comparison.same_type(target.position, stored.configuration.unwrap());
            }
        }
        checked
    }

    fn resource(&mut self, key: &str, position: Position) {
        let Entry::Resource(source) = &self.entries[position.0 as usize] else { panic!("{key}") };
        let (name, version) = key.split_once('@').unwrap();
        let found = self.catalogue.find(&name.to_uppercase(), &version.to_uppercase()).unwrap().expect(key);
        let stored = self.catalogue.resource(&found).unwrap().expect(key);
        assert_eq!(stored.name, source.name);
        let scopes = (source.readable_scopes, source.writable_scopes);
        assert_eq!((stored.readable_scopes, stored.writable_scopes), scopes, "{key}");
        assert_eq!(stored.methods.len(), source.methods.len());
        for (stored, source) in stored.methods.iter().zip(&source.methods) {
            assert_eq!((&stored.name, &stored.description), (&source.name, &source.description));
            self.same_type(source.output, stored.output);
        }
        let mut body = self.catalogue.body(&stored, &found).unwrap();
        self.descriptions.describe(stored.body, &mut body).unwrap();
        self.same_def(source.body, &body);
    }

    fn functions(&mut self, of: &Versioned<'_>, positions: impl Iterator<Item = Position>) {
        let stored = self.catalogue.functions(of).unwrap();
        let mut count = 0;
        for (position, stored) in positions.zip(&stored) {
            let Entry::ResourceFunction(source) = &self.entries[position.0 as usize] else { panic!() };
            assert_eq!(stored.name, source.name);
            assert_eq!(stored.resource_type, source.resource_type);
            assert_eq!(stored.api_version, source.api_version);
            assert_eq!(stored.input.is_some(), source.input.is_some());
            self.same_type(source.output, stored.output);
            if let (Some(source), Some(stored)) = (source.input, stored.input) {
                self.same_type(source, stored);
            }
            count += 1;
        }
        assert_eq!(count, stored.len());
    }

    fn same_type(&mut self, source: Position, stored: Ref) {
        if self.seen.insert((source, stored)) {
            let mut def = self.catalogue.def(stored).unwrap();
            self.descriptions.describe(stored, &mut def).unwrap();
            self.same_def(source, &def);
        }
    }

    fn same_def(&mut self, source: Position, stored: &Def<'_, Ref>) {
        let Entry::Type(source) = &self.entries[source.0 as usize] else { panic!() };
        match (source, stored) {
            (
                Def::Array { item, min_length, max_length },
                Def::Array { item: stored, min_length: min, max_length: max },
            ) => {
                assert_eq!((min, max), (min_length, max_length));
                self.same_type(*item, *stored);
            }
            (Def::Union(source), Def::Union(stored)) => {
                assert_eq!(source.len(), stored.len());
                source.iter().zip(stored).for_each(|(source, stored)| self.same_type(*source, *stored));
            }
            (Def::Object(source), Def::Object(stored)) => {
                assert_eq!((&stored.name, stored.sensitive), (&source.name, source.sensitive));
                assert_eq!(stored.additional.is_some(), source.additional.is_some());
                if let (Some(source), Some(stored)) = (source.additional, stored.additional) {
                    self.same_type(source, stored);
                }
                self.same_properties(&source.properties, &stored.properties);
            }
            (Def::Discriminated(source), Def::Discriminated(stored)) => {
                assert_eq!((&stored.name, &stored.discriminator), (&source.name, &source.discriminator));
                self.same_properties(&source.base, &stored.base);
                assert_eq!(stored.elements.len(), source.elements.len());
                for ((source_name, source), (stored_name, stored)) in
                    source.elements.iter().zip(&stored.elements)
                {
                    assert_eq!(stored_name, source_name);
                    self.same_type(*source, *stored);
                }
            }
            (Def::Int { min, max }, Def::Int { min: a, max: b }) => assert_eq!((a, b), (min, max)),
            (Def::String(source), Def::String(stored)) => assert_eq!(stored, source),
            (Def::StringLiteral(source), Def::StringLiteral(stored)) => assert_eq!(stored, source),
            (Def::BuiltIn(source), Def::BuiltIn(stored)) => assert_eq!(stored, source),
            (Def::Any, Def::Any) | (Def::Null, Def::Null) | (Def::Bool, Def::Bool) => {}
            (source, stored) => panic!("{source:?} became {stored:?}"),
        }
    }

    fn same_properties(&mut self, source: &[PropertyDef<'_, Position>], stored: &[PropertyDef<'_, Ref>]) {
        assert_eq!(stored.len(), source.len());
        for (source, stored) in source.iter().zip(stored) {
            assert_eq!(stored.name, source.name);
            assert_eq!((stored.flags, &stored.description), (source.flags, &source.description));
            self.same_type(source.ty, stored.ty);
        }
    }
}
