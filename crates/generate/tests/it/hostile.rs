//! Scripts that mean harm: each ends with a clear error, and the program goes on.

use std::rc::Rc;
use std::time::Duration;

use generate::host_disk::DiskHost;
use generate::{GenerateOptions, MemoryHost, Script, Settings, generate, run};

/// A clock by which every look takes ten milliseconds: endless work ends soon, whatever the machine.
fn ticking(script: &str) -> Rc<MemoryHost> {
    Rc::new(MemoryHost::new().with_time_per_look(Duration::from_millis(10)).with_file("/w/main.js", script))
}

fn settings() -> Settings {
    let mut settings = Settings::in_folder("/w");
    settings.limits.script.time = Duration::from_secs(3);
    settings.limits.script.memory = 64 << 20;
    settings
}

#[track_caller]
fn check(script: &str, expected: &str) {
    let outcome = run(ticking(script), settings(), &Script::File("main.js".into()));
    let message = outcome.error.as_ref().map(generate::ScriptError::headline).unwrap_or_default();
    assert_eq!(message, expected, "{script}");
    assert!(outcome.files.is_empty());
    // The next script runs as if nothing had happened.
    let next = run(
        ticking("import { print } from '@jkcfg/std'; print(1);"),
        settings(),
        &Script::File("main.js".into()),
    );
    assert!(next.is_good());
}

const TOO_LONG: &str = "Error: the script took longer than 3 s (--max-time)";
const TOO_MUCH: &str = "Error: the script needs more than 64 MB of memory (--max-memory)";
const TOO_DEEP: &str = "RangeError: stack overflow: stack overflow: the script nests its calls too deeply";

#[test]
fn endless_work_is_stopped() {
    check("for (;;) {}", TOO_LONG);
    check("for (;;) { try { for (;;) {} } catch {} finally {} }", TOO_LONG);
    check("const again = () => { Promise.resolve().then(again); }; again();", TOO_LONG);
    check("/^(a+)+$/.test('a'.repeat(40) + '!');", TOO_LONG);
    check("[1, 2].sort(() => { for (;;) {} });", TOO_LONG);
    check("new Function('for (;;) {}')();", TOO_LONG);
}

#[test]
fn memory_is_limited() {
    check("const all = []; for (;;) all.push(new Array(1000).fill(0));", TOO_MUCH);
    check("let s = 'x'.repeat(1 << 20); for (;;) s += s;", "InternalError: string too long");
    check("'x'.repeat(2 ** 30);", "RangeError: invalid string length");
    check("new ArrayBuffer(2 ** 31);", "RangeError: invalid array buffer length");
    check("new ArrayBuffer(2 ** 30);", TOO_MUCH);
    let shared = "import { write } from '@jkcfg/std'; const s = 'x'.repeat(1 << 20); write(new Array(5000).fill(s), 'x.json');";
    check(shared, TOO_MUCH);
    let many = "import { write } from '@jkcfg/std'; for (let i = 0; ; i += 1) write('x'.repeat(1 << 20), `${i}.txt`);";
    check(many, "Error: the files to be written hold more than 64 MB (--max-memory)");
}

#[test]
fn depth_is_limited() {
    check("const f = () => f() + 1; f();", TOO_DEEP);
    check("let o = {}; for (let i = 0; i < 200000; i += 1) o = { o }; JSON.stringify(o);", TOO_DEEP);
    let deep = "import { write } from '@jkcfg/std'; let o = {}; for (let i = 0; i < 1000; i += 1) o = { o }; write(o, 'x.json');";
    check(deep, "Error: x.json: This is nested deeper than 512 levels and was not read.");
    check("const o = {}; o.o = o; JSON.stringify(o);", "TypeError: circular reference");
    let yaml = "import { parse, Format } from '@jkcfg/std'; parse('['.repeat(100000), Format.YAML);";
    check(yaml, "Error: recursion limit exceeded (line 1)");
}

#[test]
fn a_validator_that_never_ends_costs_only_itself() {
    let script = "export default [
        { path: 'a.json', value: 1, validate: () => { for (;;) {} } },
        { path: 'b.json', value: 1, validate: () => 'bad' },
        { path: 'c.json', value: 1, validate: () => { const f = () => f(); f(); } },
    ];";
    let mut settings = settings();
    settings.limits.script.time = Duration::from_secs(60);
    let outcome =
        generate(ticking(script), settings, &Script::Module("./main.js".into()), &GenerateOptions::default());
    assert_eq!(
        outcome.error_lines(),
        [
            "a.json: the validation function took longer than 1 s (--max-validator-time)",
            "b.json: bad",
            "c.json: the validation function threw RangeError: stack overflow: stack overflow: the script nests its calls too deeply (main.js:4:71)",
            "Error: values failed validation",
        ]
    );
}

#[test]
fn a_schema_with_a_catastrophic_pattern_is_stopped() {
    let script = "import { validateWithObject } from '@jkcfg/std/schema';
        validateWithObject('ab'.repeat(60), { pattern: '^(?:a|b|ab)*(?!x)c$' });";
    check(script, "Error: a pattern takes too long to match ((root))");
}

/// A folder with a secret next to it, and links to the secret inside.
fn with_links() -> (tempfile::TempDir, camino::Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = camino::Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    std::fs::create_dir_all(root.join("work/out")).unwrap();
    std::fs::create_dir_all(root.join("outside")).unwrap();
    std::fs::write(root.join("outside/secret.json"), "\"secret\"").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("outside/secret.json"), root.join("work/link.json")).unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("work/folder")).unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("work/out/folder")).unwrap();
        std::os::unix::fs::symlink(root.join("outside/new.json"), root.join("work/out/dangling.json"))
            .unwrap();
    }
    (folder, root.join("work"))
}

#[cfg(unix)]
#[test]
fn nothing_outside_can_be_read() {
    let (_guard, work) = with_links();
    for (path, reason) in [
        ("/etc/passwd", "reading absolute paths is forbidden"),
        ("../outside/secret.json", "reading from a parent path is forbidden"),
        ("a/../../outside/secret.json", "reading from a parent path is forbidden"),
        ("link.json", "leads out of the folder"),
        ("folder/secret.json", "leads out of the folder"),
    ] {
        let script = format!("import {{ read }} from '@jkcfg/std'; await read('{path}');");
        assert_refused(&work, &script, reason);
        let script = format!(
            "import {{ validateWithFile }} from '@jkcfg/std/schema'; await validateWithFile(1, '{path}');"
        );
        assert_refused(&work, &script, reason);
        let script = format!("import {{ info }} from '@jkcfg/std/fs'; info('{path}');");
        assert_refused(&work, &script, reason);
    }
    assert_refused(&work, "import { dir } from '@jkcfg/std/fs'; dir('folder');", "leads out of the folder");
    assert_refused(&work, "import x from './link.json';", "leads out of the folder");
    assert_refused(&work, "import x from '../outside/secret.json';", "could not import");
}

#[cfg(unix)]
#[test]
fn changed_globals_open_no_doors() {
    let (_guard, work) = with_links();
    let forge_folder = "import '@jkcfg/std/resource'; import { read } from '@jkcfg/std';
        Map.prototype.has = () => true; Map.prototype.get = () => '/etc';
        await read('passwd', { module: Symbol() });";
    assert_refused(&work, forge_folder, "read from unknown module");

    let forge_input =
        "(() => { Array.prototype[Symbol.iterator] = function* () { yield '../outside/secret.json'; };
        return (value) => value; })()";
    std::fs::write(work.join("mine.json"), "1").unwrap();
    let host = Rc::new(DiskHost::new(Box::new(Vec::new()), Box::new(Vec::new())));
    let options =
        generate::TransformOptions { input: vec!["mine.json".into()], stdout: true, ..Default::default() };
    let script = Script::Inline(forge_input.to_owned());
    let outcome = generate::transform(host, Settings::in_folder(&work), &script, &options);
    let messages = outcome.error_lines().join("\n");
    assert!(!messages.contains("\"secret\"") && !outcome.is_good() && outcome.files.is_empty(), "{messages}");
}

#[cfg(unix)]
#[track_caller]
fn assert_refused(work: &camino::Utf8Path, script: &str, reason: &str) {
    std::fs::write(work.join("main.js"), script).unwrap();
    let host = Rc::new(DiskHost::new(Box::new(Vec::new()), Box::new(Vec::new())));
    let outcome = run(host, Settings::in_folder(work), &Script::File("main.js".into()));
    let message = outcome.error.map(|error| error.message).unwrap_or_default();
    assert!(message.contains(reason), "{script}: {message}");
    assert!(!message.contains("\"secret\""), "{message}");
}

#[cfg(unix)]
#[test]
fn nothing_outside_can_be_written() {
    let (_guard, work) = with_links();
    for path in ["folder/x.json", "dangling.json"] {
        let host = Rc::new(DiskHost::new(Box::new(Vec::new()), Box::new(Vec::new())));
        let mut settings = Settings::in_folder(&work);
        settings.output = work.join("out");
        let source = format!("write(1, 'fine.json'); write(2, '{path}');");
        let outcome = run(host, settings, &Script::Inline(source));
        let result = generate::host_disk::write_files(&outcome.files, &Default::default());
        assert!(result.is_err(), "{path}: {result:?}");
        assert!(!work.join("out/fine.json").exists(), "nothing is written when anything is refused");
        assert_eq!(std::fs::read_dir(work.join("../outside")).unwrap().count(), 1);
    }
}
