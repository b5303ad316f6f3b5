//! Packages that people use, installed from the registry and run. Without npm or a network the test says that it did
//! nothing.

use std::process::Command;
use std::rc::Rc;

use camino::Utf8PathBuf;
use generate::host_disk::DiskHost;
use generate::{Script, Settings, run};

const PACKAGES: [&str; 11] = [
    "lodash@4.17",
    "ajv@8",
    "cdk8s@2",
    "constructs@10",
    "kubernetes-models@4",
    "joi@17",
    "yup@1",
    "semver@7",
    "deepmerge@4",
    "immer@10",
    "uuid@11",
];

const SCRIPT: &str = "
import assert from 'node:assert/strict';
import _ from 'lodash';
import Ajv from 'ajv';
import { App, ApiObject, Chart, Yaml } from 'cdk8s';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Service } from 'kubernetes-models/v1';
import Joi from 'joi';
import * as yup from 'yup';
import semver from 'semver';
import deepmerge from 'deepmerge';
import { produce } from 'immer';
import { v4, v5, validate } from 'uuid';

assert.deepEqual([_.chunk([1, 2, 3], 2), _.camelCase('a b')], [[[1, 2], [3]], 'aB']);
const ajv = new Ajv.default();
assert.equal(ajv.validate({ type: 'object', required: ['a'] }, {}), false);
assert.equal(ajv.errorsText(), \"data must have required property 'a'\");
const chart = new Chart(new App(), 'c');
new ApiObject(chart, 'cm', { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } });
assert.equal(chart.toJson()[0].metadata.name, 'c-cm-c808fc05');
assert.equal(Yaml.stringify({ a: 1 }), 'a: 1\\n');
const containers = [{ name: 'a' }];
const deployment = new Deployment({ metadata: { name: 'x' }, spec: { selector: {}, template: { spec: { containers } } } });
deployment.validate();
assert.equal(deployment.toJSON().kind, 'Deployment');
assert.throws(() => new Deployment({ spec: { replicas: 'x' } }).validate(), /must be integer/);
assert.equal(new Service({}).apiVersion, 'v1');
assert.equal(Joi.object({ a: Joi.string().required() }).validate({}).error.message, '\"a\" is required');
assert.equal(Joi.string().email().validate('a@b.org').error, undefined);
assert.deepEqual(await yup.object({ a: yup.number().required() }).validate({ a: '3' }), { a: 3 });
assert.deepEqual([semver.satisfies('1.2.3', '^1.0.0'), semver.inc('1.2.3', 'minor')], [true, '1.3.0']);
assert.deepEqual(deepmerge({ a: [1] }, { a: [2], b: 1 }), { a: [1, 2], b: 1 });
assert.deepEqual(produce({ a: { b: 1 } }, (draft) => { draft.a.b = 2; }), { a: { b: 2 } });
assert.equal(v5('x', v5.DNS), '05b16a01-46c6-56dd-bd6e-c6dfb4a1427a');
assert.ok(validate(v5('x', v5.URL)));
assert.throws(() => v4(), /random values are off/);
";

#[test]
fn well_known_packages_work() {
    let folder = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("npm-packages");
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize_utf8().unwrap();
    if let Err(reason) = install(&folder) {
        return println!("skipped: {reason}");
    }
    std::fs::write(folder.join("main.mjs"), SCRIPT).unwrap();
    let host = Rc::new(DiskHost::new(Box::new(Vec::new()), Box::new(Vec::new())));
    let outcome = run(host, Settings::in_folder(&folder), &Script::File("main.mjs".into()));
    assert_eq!(outcome.error_lines(), [] as [String; 0]);
}

fn install(folder: &Utf8PathBuf) -> Result<(), String> {
    let wanted = PACKAGES.join("\n");
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    std::fs::write(folder.join("package.json"), "{\"private\": true}").unwrap();
    let status = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel", "error"])
        .args(PACKAGES)
        .current_dir(folder)
        .status()
        .map_err(|error| format!("npm cannot be started: {error}"))?;
    if !status.success() {
        return Err("npm could not install the packages".to_owned());
    }
    std::fs::write(stamp, wanted).unwrap();
    Ok(())
}
